import type { JsonPatchOp, Kube, KubeObject } from '@slipway/kube';
import { balloonContainer, keys } from '../api/group.js';
import { type Amounts, formatAmounts } from '../planner/amounts.js';
import { Pod } from './pod.js';

/**
 * Changes the requests of a balloon pod through the resize subresource.
 *
 * The patch tests uid and resourceVersion, so that it applies only to the state it was decided by. A pod that changed
 * since is a conflict; for another pod of that name the patch is invalid.
 * @throws StatusError, UnreachableError
 */
export async function patchPodSize(kube: Kube, pod: KubeObject, to: Amounts, signal: AbortSignal): Promise<KubeObject> {
  const containers: readonly { readonly name: string; readonly resources?: { readonly limits?: unknown } }[] =
    pod.spec?.containers ?? [];
  const at = containerIn(pod);
  const requests = formatAmounts(to);
  const operations: JsonPatchOp[] = [
    { op: 'test', path: '/metadata/uid', value: pod.metadata.uid },
    { op: 'replace', path: '/metadata/resourceVersion', value: pod.metadata.resourceVersion },
    { op: 'replace', path: `/spec/containers/${at}/resources/requests`, value: requests },
  ];
  if (containers[at]?.resources?.limits) {
    operations.push({
      op: 'replace',
      path: `/spec/containers/${at}/resources/limits`,
      value: { memory: requests.memory },
    });
  }
  return kube.resource(Pod).json(refOf(pod), operations, { subresource: 'resize', signal });
}

/** Removes the scheduling gate. @throws StatusError, UnreachableError */
export async function removeSizeGate(kube: Kube, pod: KubeObject, signal: AbortSignal): Promise<void> {
  const gates: readonly { readonly name: string }[] = pod.spec?.schedulingGates ?? [];
  const at = gates.findIndex(({ name }) => name === keys.sizeGate);
  const path = `/spec/schedulingGates/${at}`;
  const operations: JsonPatchOp[] = [
    { op: 'test', path: '/metadata/uid', value: pod.metadata.uid },
    { op: 'test', path: `${path}/name`, value: keys.sizeGate },
    { op: 'remove', path },
  ];
  await kube.resource(Pod).json(refOf(pod), operations, { signal });
}

/**
 * Sets the image of a balloon pod that does not run. Its DaemonSet does not update existing pods, so an image that
 * cannot be pulled would stay.
 * @throws StatusError, UnreachableError
 */
export async function patchImage(kube: Kube, pod: KubeObject, image: string, signal: AbortSignal): Promise<void> {
  const at = containerIn(pod);
  const operations: JsonPatchOp[] = [
    { op: 'test', path: '/metadata/uid', value: pod.metadata.uid },
    { op: 'replace', path: `/spec/containers/${at}/image`, value: image },
  ];
  await kube.resource(Pod).json(refOf(pod), operations, { signal });
}

/** Returns the image of a balloon pod. */
export function imageOf(pod: KubeObject): string | undefined {
  return pod.spec?.containers?.[containerIn(pod)]?.image;
}

function containerIn(pod: KubeObject): number {
  const containers: readonly { readonly name: string }[] = pod.spec?.containers ?? [];
  return containers.findIndex(({ name }) => name === balloonContainer);
}

function refOf({ metadata }: KubeObject) {
  return { name: metadata.name ?? '', namespace: metadata.namespace };
}
