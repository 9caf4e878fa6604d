import type { Pod } from '@slipway/kube-objects/kinds/api/pods';

/** When the containers of a pod ended, in milliseconds since the epoch; when the pod was made, if none says so. */
export function endOfPodMs({ metadata, status }: Pod): number {
  const ends = (status?.containerStatuses ?? []).flatMap(({ state }) => state.terminated?.finishedAt ?? []);
  const times = ends.map((at) => Date.parse(at));
  return times.length > 0 ? Math.max(...times) : Date.parse(metadata.creationTimestamp ?? '');
}
