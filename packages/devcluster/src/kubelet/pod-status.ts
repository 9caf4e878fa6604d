import { timestamp } from '@slipway/kube';
import type { Pod, PodStatus } from '../controllers/api/pods.js';
import { containerStatus } from './container-status.js';
import { podConditions } from './pod-conditions.js';
import { podPhase } from './pod-phase.js';
import { type ContainerTimes, containerAt } from './pod-timeline.js';

/** Where a pod runs. */
export interface PodPlace {
  readonly hostIP: string;
  readonly podIP: string;
}

/**
 * What a pod on its timeline looks like `elapsedMs` after it was admitted. Times that
 * the stored status already gives are kept: they were true when they were written.
 */
export function podStatusAt(
  pod: Pod,
  timeline: readonly ContainerTimes[],
  admittedAtMs: number,
  elapsedMs: number,
  { hostIP, podIP }: PodPlace,
): PodStatus {
  const all = timeline.map((times) => ({ times, now: containerAt(times, elapsedMs) }));
  const unfinished = all.filter(({ times: { kind }, now }) =>
    kind === 'init' ? !(now.state === 'ended' && now.exitCode === 0) : kind === 'sidecar' && !now.life,
  );
  const isSetUp = unfinished.length === 0;
  const statusesOf = (chosen: typeof all) =>
    chosen.map(({ times, now }) => containerStatus(pod, times, now, admittedAtMs, isSetUp));
  const init = statusesOf(all.filter(({ times }) => times.kind !== 'main'));
  const main = statusesOf(all.filter(({ times }) => times.kind === 'main'));
  const phase = podPhase(pod, isSetUp, init, main);
  const names = (chosen: typeof all) => chosen.map(({ times }) => times.container.name);
  const facts = {
    phase,
    isSetUp,
    unready: names(all.filter(({ times, now }) => times.kind !== 'init' && !now.isReady)),
    unfinished: names(unfinished),
  };
  const { qosClass } = pod.status ?? {};
  return {
    observedGeneration: pod.metadata.generation ?? 1,
    phase,
    conditions: podConditions(pod, facts, admittedAtMs + elapsedMs),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: pod.status?.startTime ?? timestamp(admittedAtMs),
    ...(init.length > 0 && { initContainerStatuses: init }),
    containerStatuses: main,
    ...(qosClass && { qosClass }),
  };
}
