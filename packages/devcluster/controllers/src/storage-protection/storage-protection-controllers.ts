import { Controller, type KubeObject, type ObjectRef, type ResourceRef, retryLostRaces } from '@slipway/kube';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { persistentVolumeClaims, persistentVolumes } from '@slipway/kube-objects/kinds/api/volumes';
import { podClaims } from '@slipway/kube-objects/rules/pod-claims';
import { claimProtection, volumeProtection } from '@slipway/kube-objects/rules/well-known';
import type { WorkloadDeps } from '../workloads/workload-deps.js';

/** Lets a claim that was deleted go when no pod on a node has it, finished or not. */
export function claimProtectionController(deps: WorkloadDeps): Controller {
  const all = deps.informers.informer(pods).lister;
  const isUsed = ({ metadata: { name, namespace } }: KubeObject) =>
    all.list({ namespace }).some((pod) => pod.spec.nodeName && claimsOf(pod).some((claim) => claim.name === name));
  return new Controller({
    ...deps,
    name: 'pvc-protection-controller',
    for: persistentVolumeClaims,
    watches: [{ of: pods, map: claimsOf }],
    reconcile: releasing(deps, persistentVolumeClaims, claimProtection, isUsed),
  });
}

/** Lets a volume that was deleted go when it is bound to no claim. */
export function volumeProtectionController(deps: WorkloadDeps): Controller {
  const isUsed = ({ status }: KubeObject) => status?.phase === 'Bound';
  return new Controller({
    ...deps,
    name: 'pv-protection-controller',
    for: persistentVolumes,
    reconcile: releasing(deps, persistentVolumes, volumeProtection, isUsed),
  });
}

/** Takes the finalizer off what is to go and not in use. */
function releasing(
  { kube, informers }: WorkloadDeps,
  resource: ResourceRef,
  finalizer: string,
  isUsed: (object: KubeObject) => boolean,
) {
  const objects = informers.informer(resource).lister;
  const client = kube.resource(resource);
  return retryLostRaces(async (ref, { signal }) => {
    const object = objects.get(ref);
    if (!object?.metadata.deletionTimestamp || !object.metadata.finalizers?.includes(finalizer) || isUsed(object))
      return;
    const { resourceVersion, finalizers } = object.metadata;
    const metadata = { resourceVersion, finalizers: finalizers.filter((one) => one !== finalizer) };
    await client.merge(ref, { metadata }, { signal });
  });
}

function claimsOf(pod: KubeObject): ObjectRef[] {
  const { namespace } = pod.metadata;
  return podClaims(pod).map(({ name }) => ({ name, namespace }));
}
