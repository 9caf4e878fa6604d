import { restore } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import type { PodSpecFields } from '@slipway/kube-objects/kinds/pod-spec';

const ownedElsewhere = ['labels', 'annotations', 'finalizers', 'ownerReferences', 'deletionTimestamp'] as const;

/** Takes a pod back to what it was, in place, but for this spec: some writes are about a part of it alone. */
export function keepAllBut(pod: KubeObject, old: KubeObject, spec: PodSpecFields): void {
  const { status, metadata } = structuredClone(old);
  pod.spec = spec;
  pod.status = status;
  for (const field of ownedElsewhere) restore(pod.metadata, metadata, field);
}

/** Takes everything but the ephemeral containers back to what it was, in place. */
export function keepOnlyEphemeralContainers(pod: KubeObject, old: KubeObject): void {
  const { ephemeralContainers } = pod.spec ?? {};
  const { ephemeralContainers: _before, ...spec }: PodSpecFields = structuredClone(old.spec);
  keepAllBut(pod, old, { ...spec, ...(ephemeralContainers?.length > 0 && { ephemeralContainers }) });
}
