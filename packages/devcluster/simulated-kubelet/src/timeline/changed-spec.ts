import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { type NewImages, withNewImages } from './new-images.js';
import type { ContainerTimes, ImageTimes, PodDelays } from './pod-timeline.js';
import { withAdded } from './timeline-changes.js';

/**
 * The timeline of a pod to whose containers something was done while it runs: others were added for debugging, or some
 * were given other images.
 *
 * @param fresh the timeline that it would have from now on
 * @param atMs now, in milliseconds after it was admitted
 */
export function withChangedSpec(
  { spec }: Pod,
  timeline: readonly ContainerTimes[],
  {
    fresh,
    images,
    delays,
    atMs,
  }: {
    readonly fresh: () => readonly ContainerTimes[];
    readonly images: () => ImageTimes;
    readonly delays: PodDelays;
    readonly atMs: number;
  },
): NewImages {
  const hasAdded = (spec.ephemeralContainers ?? []).length > 0;
  const extended = hasAdded ? withAdded(timeline, fresh(), atMs) : timeline;
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  const given = new Map(containers.map(({ name, image }) => [name, image]));
  const isChanged = ({ container: { name, image } }: ContainerTimes) => given.has(name) && given.get(name) !== image;
  if (!extended.some(isChanged)) return { timeline: extended, restarted: [] };
  return withNewImages(extended, containers, { images: images(), delays, atMs });
}
