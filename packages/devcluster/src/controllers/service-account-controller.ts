import { Controller, hasReason, type KubeObject, type ObjectRef, type Reconciler } from '@slipway/kube';
import { configMaps, namespaces, serviceAccounts } from './api/core.js';
import { retryLostRaces } from './lost-race.js';
import { isNamespaceGoing } from './namespace/is-terminating.js';
import type { WorkloadDeps } from './replica-set/replica-set-controller.js';

const accountName = 'default';
const caName = 'kube-root-ca.crt';

/** What the service account controller needs besides. */
export interface ServiceAccountDeps extends WorkloadDeps {
  /** Certificate of the authority that signed the API server's, in PEM. */
  readonly caCertificate: string;
}

/** Gives every namespace its default service account, and the certificate by which its pods know the API server. */
export function serviceAccountController(deps: ServiceAccountDeps): Controller {
  const { caCertificate: _, ...rest } = deps;
  const ofNamespace = ({ metadata: { namespace = '' } }: KubeObject) => [{ name: namespace }];
  return new Controller({
    ...rest,
    name: 'serviceaccount-controller',
    for: namespaces,
    watches: [
      { of: serviceAccounts, map: ofNamespace, options: onlyAccounts },
      { of: configMaps, map: ofNamespace, options: onlyCertificates },
    ],
    workers: 5,
    reconcile: retryLostRaces(serviceAccountReconciler(deps)),
  });
}

/** Puts back what is missing from one namespace, and the right certificate in place of another. */
export function serviceAccountReconciler({
  kube,
  informers,
  caCertificate,
}: Omit<ServiceAccountDeps, 'log'>): Reconciler {
  const all = informers.informer(namespaces);
  const accounts = informers.informer(serviceAccounts, onlyAccounts);
  const certificates = informers.informer(configMaps, onlyCertificates);
  return async ({ name: namespace }, { signal }) => {
    const found = all.lister.get({ name: namespace });
    if (!found || found.metadata.deletionTimestamp || found.status?.phase === 'Terminating') return;
    const account: ObjectRef = { namespace, name: accountName };
    if (!accounts.lister.get(account)) {
      const object = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: accountName, namespace } };
      await unlessThere(kube.resource(serviceAccounts).create(object, { signal }));
    }
    const authority = certificates.lister.get({ namespace, name: caName });
    const data = { 'ca.crt': caCertificate };
    if (!authority) {
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: caName, namespace, annotations }, data };
      await unlessThere(kube.resource(configMaps).create(object, { signal }));
    } else if (authority.data?.['ca.crt'] !== caCertificate || Object.keys(authority.data).length !== 1) {
      await kube.resource(configMaps).replace({ ...authority, data }, { signal });
    }
  };
}

/** One object for all who ask, so that they share an informer. */
const onlyAccounts = { fieldSelector: `metadata.name=${accountName}` };
const onlyCertificates = { fieldSelector: `metadata.name=${caName}` };

const annotations = {
  'kubernetes.io/description':
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the ' +
    'internal service IP or kubernetes.default.svc.',
};

async function unlessThere(created: Promise<unknown>): Promise<void> {
  try {
    await created;
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists') && !isNamespaceGoing(error)) throw error;
  }
}
