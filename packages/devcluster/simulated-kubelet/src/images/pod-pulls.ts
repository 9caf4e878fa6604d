import type { EventRecorder, Kube } from '@slipway/kube';
import type { Container, ContainerState, Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { VersionProfile } from '@slipway/kube-objects/rules/version-profile';
import type { Machine } from '../pods/machine.js';
import type { Resident } from '../pods/residents.js';
import {
  arranged,
  type ContainerTimes,
  type ImageTimes,
  type PodDelays,
  podTimeline,
} from '../timeline/pod-timeline.js';
import { afterVolumes, imageVolumesOf } from './image-volumes.js';
import { instantPulls } from './instant-pulls.js';

/** How the pods of a node come to their images. */
export interface PodPulls {
  /** The timeline of a pod that was just admitted, or is taken up again. */
  timelineOf(pod: Pod): readonly ContainerTimes[];
  /** When images are there that containers of a pod are given while it runs. */
  imagesOf(pod: Pod): ImageTimes;
  /** Asks for what is due. Returns the timeline with what is there by now, and when to come again. */
  pull(
    resident: Resident,
    elapsedMs: number,
  ): { readonly timeline: readonly ContainerTimes[]; readonly againInMs?: number };
  /** What a container waits for that has no image; undefined when it waits for something else. */
  waitingFor(uid: string, container: Container): NonNullable<ContainerState['waiting']> | undefined;
  forget(uid: string): void;
  stop(): void;
}

/** The node that pulls. */
export interface PullingNode {
  readonly kube: Kube;
  readonly machine: Machine;
  readonly delays: PodDelays;
  readonly profile: Pick<VersionProfile, 'checksImageAccess'>;
  /** Has `pull` called for a pod of this node soon. */
  readonly syncSoon: (pod: Pod) => void;
}

/** Makes the pulls of one node. */
export type NewPodPulls = (node: PullingNode, events: EventRecorder) => PodPulls;

/** Every image is there as soon as it is asked for. */
export const instantly: NewPodPulls = ({ delays, machine: { images } }) => {
  const newPulls = () => instantPulls(delays, (image) => images.has(image));
  return {
    timelineOf: (pod) => podTimeline(pod, delays, afterVolumes(pod, newPulls())),
    imagesOf: newPulls,
    pull({ pod, timeline }, elapsedMs) {
      // The first container has its image only when the volumes have theirs.
      const isUnderWay = timeline.some(({ pulledAtMs }) => pulledAtMs <= elapsedMs);
      if (isUnderWay) for (const { image = '' } of imageVolumesOf(pod)) images.add(image);
      for (const { container, pulledAtMs } of timeline) if (pulledAtMs <= elapsedMs) images.add(container.image ?? '');
      if (timeline.every(({ imageFromMs }) => Number.isFinite(imageFromMs))) return { timeline };
      // When init containers end was not known before.
      const pulls = newPulls();
      const known = new Map(timeline.map((times) => [times.container.name, times]));
      const asBefore: ImageTimes = (container, fromMs) => {
        const before = known.get(container.name);
        if (!before || !Number.isFinite(before.pulledAtMs)) return pulls(container, fromMs);
        return { ...before, pulledAtMs: Math.max(fromMs, before.pulledAtMs) };
      };
      return { timeline: arranged(timeline, delays, asBefore) };
    },
    waitingFor: () => undefined,
    forget() {},
    stop() {},
  };
};
