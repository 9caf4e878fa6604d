import { Controller, type KubeObject, type Reconciler, retryLostRaces } from '@slipway/kube';
import { configMaps, namespaces } from '@slipway/kube-objects/kinds/api/core';
import { isNamespaceOpen, unlessThereOrGoing } from '../namespace/in-every-namespace.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';

const mapName = 'kube-root-ca.crt';

/** What the publisher needs besides. */
export interface RootCaDeps extends WorkloadDeps {
  /** Certificate of the authority that signed the API server's, in PEM. */
  readonly caCertificate: string;
}

/** Gives every namespace the certificate by which its pods know the API server. */
export function rootCaPublisher(deps: RootCaDeps): Controller {
  const { caCertificate: _, ...rest } = deps;
  const ofNamespace = ({ metadata: { namespace = '' } }: KubeObject) => [{ name: namespace }];
  return new Controller({
    ...rest,
    name: 'root-ca-cert-publisher',
    for: namespaces,
    watches: [{ of: configMaps, map: ofNamespace, options: onlyCertificates }],
    workers: 5,
    reconcile: retryLostRaces(rootCaReconciler(deps)),
  });
}

/** Puts back the certificate that one namespace lacks, and the right one in place of another. */
function rootCaReconciler({ kube, informers, caCertificate }: Omit<RootCaDeps, 'log'>): Reconciler {
  const all = informers.informer(namespaces);
  const certificates = informers.informer(configMaps, onlyCertificates);
  return async ({ name: namespace }, { signal }) => {
    if (!isNamespaceOpen(all.lister.get({ name: namespace }))) return;
    const there = certificates.lister.get({ namespace, name: mapName });
    const data = { 'ca.crt': caCertificate };
    if (!there) {
      const made = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: mapName, namespace, annotations }, data };
      await unlessThereOrGoing(kube.resource(configMaps).create(made, { signal }));
    } else if (there.data?.['ca.crt'] !== caCertificate || Object.keys(there.data).length !== 1) {
      await kube.resource(configMaps).replace({ ...there, data }, { signal });
    }
  };
}

/** One object for all who ask, so that they share an informer. */
const onlyCertificates = { fieldSelector: `metadata.name=${mapName}` };

const annotations = {
  'kubernetes.io/description':
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the ' +
    'internal service IP or kubernetes.default.svc.',
};
