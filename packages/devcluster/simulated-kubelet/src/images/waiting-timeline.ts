import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { type ContainerTimes, type PodDelays, podTimeline } from '../timeline/pod-timeline.js';

/** The timeline of a pod whose images are asked for: no container starts before it is known when its image came, unless it had started. */
export function waitingTimeline(pod: Pod, delays: PodDelays): readonly ContainerTimes[] {
  return podTimeline(pod, delays, ({ name }, fromMs) => ({
    pullAtMs: undefined,
    pulledAtMs: hasStarted(pod, name) ? fromMs : Number.POSITIVE_INFINITY,
    isToldByOthers: true,
  }));
}

/** A container that was started before has its image: its node was simulated by a process that is gone. */
export function hasStarted({ status = {} }: Pod, name: string): boolean {
  const known = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return known.some((each) => each.name === name && each.containerID !== undefined);
}
