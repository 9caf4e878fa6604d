import {
  Controller,
  controllerOf,
  type KubeObject,
  type ObjectRef,
  type Reconciler,
  retryLostRaces,
} from '@slipway/kube';
import { isFinished, isTerminating, type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { type Consumer, type ResourceClaim, resourceClaims } from '@slipway/kube-objects/kinds/api/resource-claims';
import { claimDeleteProtection, namedClaims } from '@slipway/kube-objects/rules/pod-resource-claims';
import type { WorkloadDeps } from '../workloads/workload-deps.js';

/** Takes claims back from pods that ended or were deleted: devices are free once no pod uses their claim. */
export function claimReleaseController(deps: WorkloadDeps): Controller {
  return new Controller({
    ...deps,
    name: 'resource-claim-release-controller',
    for: resourceClaims,
    watches: [{ of: pods, map: (pod) => claimRefs(pod as Pod) }],
    reconcile: retryLostRaces(claimReleaseReconciler(deps)),
  });
}

function claimRefs(pod: Pod): readonly ObjectRef[] {
  return namedClaims(pod).map(({ name }) => ({ name, namespace: pod.metadata.namespace }));
}

function claimReleaseReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const podLister = informers.informer(pods).lister;
  const claimLister = informers.informer(resourceClaims).lister;
  const client = kube.resource(resourceClaims);

  /** Consumers that are not pods are kept: nothing is known of them here. */
  async function stillUses({ apiGroup, resource, name, uid }: Consumer, namespace: string, signal: AbortSignal) {
    if (apiGroup || resource !== 'pods') return true;
    const known = podLister.get({ name, namespace });
    if (known) return known.metadata.uid === uid && !isDone(known);
    // The scheduler may have seen the pod earlier than the cache here.
    const pod = await kube.resource(pods).find({ name, namespace }, signal);
    return pod?.metadata.uid === uid;
  }

  return async (ref, { signal }) => {
    const claim = claimLister.get(ref);
    if (!claim) return;
    const { namespace = '' } = claim.metadata;
    const consumers = claim.status?.reservedFor ?? [];
    const remaining: Consumer[] = [];
    for (const consumer of consumers) if (await stillUses(consumer, namespace, signal)) remaining.push(consumer);
    const isProtected = claim.metadata.finalizers?.includes(claimDeleteProtection) ?? false;
    if (remaining.length < consumers.length) {
      const { allocation, ...status } = claim.status ?? {};
      const isKept = allocation && (remaining.length > 0 || !isProtected);
      const released = { ...status, ...(isKept && { allocation }), reservedFor: remaining };
      const updated = await client.replaceStatus({ ...claim, status: released }, { signal });
      if (isProtected && !isKept) await client.replace(withoutProtection(updated), { signal });
    } else if (isProtected && claim.metadata.deletionTimestamp && remaining.length === 0) {
      const { allocation, ...status } = claim.status ?? {};
      const updated = allocation ? await client.replaceStatus({ ...claim, status }, { signal }) : claim;
      await client.replace(withoutProtection(updated), { signal });
    }
    if (remaining.length === 0 && isLeftOver(claim)) await client.delete(ref, { signal });
  };

  /** Whether the claim was made for a pod that will not run; the garbage collector deletes claims of deleted pods. */
  function isLeftOver(claim: KubeObject): boolean {
    const owner = controllerOf(claim);
    if (owner?.apiVersion !== 'v1' || owner.kind !== 'Pod') return false;
    const pod = podLister.get({ name: owner.name, namespace: claim.metadata.namespace });
    return pod !== undefined && (pod.metadata.uid !== owner.uid || isDone(pod));
  }
}

/** Whether no container of the pod runs, or ever will. */
function isDone(pod: Pod): boolean {
  return isFinished(pod) || (isTerminating(pod) && !pod.spec.nodeName);
}

function withoutProtection(claim: ResourceClaim): ResourceClaim {
  const finalizers = claim.metadata.finalizers?.filter((finalizer) => finalizer !== claimDeleteProtection) ?? [];
  return { ...claim, metadata: { ...claim.metadata, finalizers } };
}
