import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { type ContainerTimes, type ImageTimes, type PodDelays, podTimeline } from '../timeline/pod-timeline.js';

/** The timeline of a pod whose images are asked for: no container starts before it is known when its image came, unless it had started. */
export function waitingTimeline(pod: Pod, delays: PodDelays): readonly ContainerTimes[] {
  return podTimeline(pod, delays, (container, fromMs) => {
    const unknown = unknownYet(container, fromMs);
    return hasStarted(pod, container.name) ? { ...unknown, pulledAtMs: fromMs } : unknown;
  });
}

/** Images that have to be asked for. */
export const unknownYet: ImageTimes = () => ({
  pullAtMs: undefined,
  pulledAtMs: Number.POSITIVE_INFINITY,
  isToldByOthers: true,
});

/** A container that was started before has its image: its node was simulated by a process that is gone. */
export function hasStarted({ status = {} }: Pod, name: string): boolean {
  const known = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return known.some((each) => each.name === name && each.containerID !== undefined);
}

/** Whether something of the pod ran, so that it has its volumes. */
export function hasBegun(pod: Pod): boolean {
  return [...(pod.spec.initContainers ?? []), ...pod.spec.containers].some(({ name }) => hasStarted(pod, name));
}
