import { createHash } from 'node:crypto';
import { timestamp } from '@slipway/kube';
import type { ContainerState, ContainerStatus, Pod, PodCondition, PodStatus } from '../controllers/api/pods.js';
import type { ContainerTimes } from './pod-timeline.js';

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
  const isSetUp = timeline.every(({ kind, endedAtMs, startedAtMs }) =>
    kind === 'init' ? endedAtMs <= elapsedMs : kind === 'main' || startedAtMs <= elapsedMs,
  );
  const status = (times: ContainerTimes) => containerStatus(pod, times, admittedAtMs, elapsedMs, isSetUp);
  const main = timeline.filter(({ kind }) => kind === 'main');
  const init = timeline.filter(({ kind }) => kind !== 'main');
  const isRunning = isSetUp && main.every(({ startedAtMs }) => startedAtMs <= elapsedMs);
  const { qosClass } = pod.status ?? {};
  return {
    observedGeneration: pod.metadata.generation ?? 1,
    phase: isRunning ? 'Running' : 'Pending',
    conditions: conditions(pod, timeline, admittedAtMs, elapsedMs, isSetUp),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: pod.status?.startTime ?? timestamp(admittedAtMs),
    ...(init.length > 0 && { initContainerStatuses: init.map(status) }),
    containerStatuses: main.map(status),
    ...(qosClass && { qosClass }),
  };
}

function containerStatus(
  pod: Pod,
  times: ContainerTimes,
  admittedAtMs: number,
  elapsedMs: number,
  isSetUp: boolean,
): ContainerStatus {
  const { container, kind } = times;
  const { name, image = '' } = container;
  const all = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const before = all.find((each) => each.name === name);
  const hasStarted = times.startedAtMs <= elapsedMs;
  const hasEnded = times.endedAtMs <= elapsedMs;
  const containerID = before?.containerID ?? `simulated://${digest(`${pod.metadata.uid}/${name}`)}`;
  const ready = kind === 'init' ? hasEnded : times.readyAtMs <= elapsedMs;
  return {
    name,
    image,
    imageID: hasStarted ? `${image}@sha256:${digest(image)}` : '',
    ...(hasStarted && { containerID }),
    ready,
    started: hasStarted && !hasEnded,
    restartCount: before?.restartCount ?? 0,
    state: state(),
    lastState: before?.lastState ?? {},
  };

  function state(): ContainerState {
    const startedAt = before?.state.running?.startedAt ?? timestamp(admittedAtMs + times.startedAtMs);
    if (hasEnded) {
      const finishedAt = timestamp(admittedAtMs + times.endedAtMs);
      const ended = { exitCode: 0, reason: 'Completed', startedAt, finishedAt, containerID };
      return { terminated: before?.state.terminated ?? ended };
    }
    if (hasStarted) return { running: { startedAt } };
    const hasInit = (pod.spec.initContainers ?? []).length > 0;
    return { waiting: { reason: hasInit && !(isSetUp && kind === 'main') ? 'PodInitializing' : 'ContainerCreating' } };
  }
}

function conditions(
  pod: Pod,
  timeline: readonly ContainerTimes[],
  admittedAtMs: number,
  elapsedMs: number,
  isSetUp: boolean,
): readonly PodCondition[] {
  const unready = timeline
    .filter(({ kind, readyAtMs }) => kind !== 'init' && readyAtMs > elapsedMs)
    .map(({ container }) => container.name);
  const unfinished = timeline
    .filter(
      ({ kind, endedAtMs, startedAtMs }) => kind !== 'main' && (kind === 'init' ? endedAtMs : startedAtMs) > elapsedMs,
    )
    .map(({ container }) => container.name);
  const notReady = {
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${unready.join(' ')}]`,
  };
  const notInitialized = {
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${unfinished.join(' ')}]`,
  };
  const is = (
    type: string,
    holds: boolean,
    otherwise: { readonly reason?: string; readonly message?: string } = {},
  ) => {
    const status = holds ? 'True' : 'False';
    const before = pod.status?.conditions?.find((condition) => condition.type === type);
    const since = before?.status === status && before.lastTransitionTime;
    return {
      type,
      observedGeneration: pod.metadata.generation ?? 1,
      status,
      lastProbeTime: null,
      lastTransitionTime: since || timestamp(admittedAtMs + elapsedMs),
      ...(!holds && otherwise),
    } as const;
  };
  const others = pod.status?.conditions?.filter(({ type }) => !ownConditions.has(type)) ?? [];
  return [
    is('PodReadyToStartContainers', true),
    is('Initialized', isSetUp, notInitialized),
    is('Ready', unready.length === 0, notReady),
    is('ContainersReady', unready.length === 0, notReady),
    is('PodScheduled', true),
    ...others,
  ];
}

const ownConditions = new Set(['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled']);

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
