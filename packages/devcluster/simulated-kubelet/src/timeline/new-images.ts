import type { Container } from '@slipway/kube-objects/kinds/api/pods';
import { containerAt } from './container-at.js';
import {
  type ContainerTimes,
  type ImageTimes,
  type PodDelays,
  resumedWith,
  withSidecarsStopped,
} from './pod-timeline.js';

/** What comes of containers that were given another image. */
export interface NewImages {
  readonly timeline: readonly ContainerTimes[];
  /** Containers that ran, and are started again for it. */
  readonly restarted: readonly string[];
}

/**
 * The timeline of a pod whose containers may have been given other images at `atMs`: as with a kubelet, one that runs is
 * stopped, whatever its restart policy, and started again with its new image; one that has not started gets the new one
 * instead; one that has ended, and an init container that runs, stay as they are.
 */
export function withNewImages(
  timeline: readonly ContainerTimes[],
  containers: readonly Container[],
  { images, delays, atMs }: { readonly images: ImageTimes; readonly delays: PodDelays; readonly atMs: number },
): NewImages {
  const asked = new Map(containers.map((container) => [container.name, container]));
  const restarted: string[] = [];
  const changed = timeline.map((before): ContainerTimes => {
    const container = asked.get(before.container.name);
    if (!container || container.image === before.container.image) return before;
    const times = { ...before, container };
    const { state } = containerAt(before, atMs);
    if (state === 'ended' || (state === 'running' && before.kind === 'init')) return before;
    if (state === 'backing-off' || (state === 'unborn' && before.imageFromMs > atMs)) return times;
    const image = images(container, atMs);
    const { course } = before;
    if (state === 'unborn') {
      return { ...times, ...image, course: { ...course, firstStartMs: image.pulledAtMs + delays.startMs } };
    }
    const { interruptions = [] } = course;
    if (state === 'interrupted') return resumedWith({ ...times, imageFromMs: atMs }, image, delays);
    restarted.push(container.name);
    const interruption = { atMs, resumesAtMs: Number.POSITIVE_INFINITY, isForImage: true } as const;
    const stopped = {
      ...times,
      imageFromMs: atMs,
      course: { ...course, interruptions: [...interruptions, interruption] },
    };
    return resumedWith(stopped, image, delays);
  });
  return { timeline: withSidecarsStopped(changed), restarted };
}
