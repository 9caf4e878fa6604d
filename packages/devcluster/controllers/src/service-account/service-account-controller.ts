import { Controller, type KubeObject, type Reconciler, retryLostRaces } from '@slipway/kube';
import { namespaces, serviceAccounts } from '@slipway/kube-objects/kinds/api/core';
import { isNamespaceOpen, unlessThereOrGoing } from '../namespace/in-every-namespace.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';

const accountName = 'default';

/** Gives every namespace its default service account. */
export function serviceAccountController(deps: WorkloadDeps): Controller {
  const ofNamespace = ({ metadata: { namespace = '' } }: KubeObject) => [{ name: namespace }];
  return new Controller({
    ...deps,
    name: 'serviceaccount-controller',
    for: namespaces,
    watches: [{ of: serviceAccounts, map: ofNamespace, options: onlyDefault }],
    workers: 5,
    reconcile: retryLostRaces(serviceAccountReconciler(deps)),
  });
}

/** Makes the account that one namespace lacks. */
function serviceAccountReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const all = informers.informer(namespaces);
  const accounts = informers.informer(serviceAccounts, onlyDefault);
  return async ({ name: namespace }, { signal }) => {
    if (!isNamespaceOpen(all.lister.get({ name: namespace }))) return;
    if (accounts.lister.get({ namespace, name: accountName })) return;
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: accountName, namespace } };
    await unlessThereOrGoing(kube.resource(serviceAccounts).create(account, { signal }));
  };
}

/** One object for all who ask, so that they share an informer. */
const onlyDefault = { fieldSelector: `metadata.name=${accountName}` };
