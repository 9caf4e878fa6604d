import { copyWith, timestamp } from '@slipway/kube';
import type {
  Container,
  ContainerState,
  ContainerStatus,
  Pod,
  PodCondition,
  PodStatus,
} from '@slipway/kube-objects/kinds/api/pods';
import type { VersionProfile } from '@slipway/kube-objects/rules/version-profile';
import type { Ending } from '../pods/residents.js';
import { type ContainerNow, containerAt } from '../timeline/container-at.js';
import { whyHeldBack } from '../timeline/held-back.js';
import type { ContainerTimes } from '../timeline/pod-timeline.js';
import { containerStatus } from './container-status.js';
import { withNeverStarted } from './never-started.js';
import { podConditions } from './pod-conditions.js';
import { podPhase } from './pod-phase.js';

/** What the status of a pod follows from, beside its timeline. */
export interface StatusFacts {
  readonly hostIP: string;
  /** Undefined before it has one. */
  readonly podIP: string | undefined;
  readonly profile: Pick<VersionProfile, 'observesGeneration' | 'saysWhyNoSandbox'>;
  /** What is said of the resources of a container that has been started. */
  readonly resourcesOf: (
    container: string,
    now: ContainerNow,
  ) => Pick<ContainerStatus, 'resources' | 'allocatedResources'>;
  /** What a container that has not started waits for, if it is its image. */
  readonly waitingFor: (container: Container) => ContainerState['waiting'];
  /** Whether its volumes are there. */
  readonly isMounted: boolean;
  /** What is said of a resize. */
  readonly resize: readonly PodCondition[];
  /** Set once all of the pod has been stopped. */
  readonly end?: PodEnd | undefined;
}

/** How a pod came to be stopped: by its kubelet, for a reason, or because it is being deleted. */
export type PodEnd = Ending | 'deleted';

/**
 * Computes the status of a pod `elapsedMs` after its admission. Times of the stored status are kept: they were true
 * when they were written.
 */
export function podStatusAt(
  pod: Pod,
  timeline: readonly ContainerTimes[],
  admittedAtMs: number,
  elapsedMs: number,
  facts: StatusFacts,
): PodStatus {
  const { hostIP, podIP, profile, end } = facts;
  const ending = end === 'deleted' ? undefined : end;
  const all = timeline.map((times) => ({ times, now: containerAt(times, elapsedMs) }));
  const hasRun = all.some(({ times: { kind }, now }) => kind === 'main' && now.life);
  const initializing = ({ times: { kind }, now }: (typeof all)[number]) =>
    kind === 'init' ? !(now.state === 'ended' && now.exitCode === 0) : kind === 'sidecar' && !now.isStarted;
  // That sidecars were stopped with their pod does not count where it was set up before.
  const wasSetUp = () =>
    !timeline
      .map((times) => ({ times, now: containerAt({ ...times, stoppedAtMs: Number.POSITIVE_INFINITY }, elapsedMs) }))
      .some(initializing);
  const unfinished = hasRun || (end !== undefined && wasSetUp()) ? [] : all.filter(initializing);
  const isSetUp = unfinished.length === 0;
  const statusesOf = (chosen: typeof all) =>
    chosen.map(({ times, now }) => {
      const { container } = times;
      const isMade = now.life && now.state !== 'interrupted';
      const more = isMade
        ? facts.resourcesOf(container.name, now)
        : end === 'deleted'
          ? undefined
          : waiting(facts.waitingFor(container) ?? configError(times, elapsedMs));
      return copyWith(containerStatus(pod, times, now, admittedAtMs, isSetUp), more);
    });
  const now = {
    init: statusesOf(all.filter(({ times: { kind } }) => kind === 'init' || kind === 'sidecar')),
    main: byName(statusesOf(all.filter(({ times }) => times.kind === 'main'))),
  };
  const { init, main } = end === undefined ? now : withNeverStarted(now, isSetUp);
  const added = byName(statusesOf(all.filter(({ times }) => times.kind === 'ephemeral')));
  const phaseBefore = podPhase(pod, isSetUp, now.init, now.main);
  const phase = end === undefined ? phaseBefore : ending ? 'Failed' : lastPhase(main);
  const names = (chosen: typeof all) => chosen.map(({ times }) => times.container.name);
  const readiness = {
    phase,
    // A kubelet no longer looks at the containers of a pod that had not started them.
    readyPhase: end === 'deleted' && phaseBefore === 'Pending' ? phaseBefore : phase,
    isMounted: facts.isMounted,
    saysWhyNoSandbox: profile.saysWhyNoSandbox,
    isSetUp,
    unready: names(all.filter(({ times: { kind }, now }) => (kind === 'main' || kind === 'sidecar') && !now.isReady)),
    unfinished: names(unfinished),
  };
  const generation = profile.observesGeneration ? { observedGeneration: pod.metadata.generation ?? 1 } : {};
  // Others write these.
  const { qosClass, resourceClaimStatuses, extendedResourceClaimStatus } = pod.status ?? {};
  return copyWith(generation, {
    phase,
    ...(ending && { reason: ending.reason, message: ending.message }),
    conditions: [
      ...podConditions(pod, readiness, admittedAtMs + elapsedMs, generation, ending),
      ...(end === undefined ? facts.resize : []),
    ],
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(podIP !== undefined && { podIP, podIPs: [{ ip: podIP }] }),
    startTime: pod.status?.startTime ?? timestamp(admittedAtMs),
    ...(init.length > 0 && { initContainerStatuses: init }),
    containerStatuses: main,
    ...(added.length > 0 && { ephemeralContainerStatuses: added }),
    ...(qosClass && { qosClass }),
    ...(resourceClaimStatuses && { resourceClaimStatuses }),
    ...(extendedResourceClaimStatus && { extendedResourceClaimStatus }),
  });
}

/** What a pod ends as once nothing of it will be started again. */
function lastPhase(main: readonly ContainerStatus[]): 'Succeeded' | 'Failed' {
  return main.every(({ state }) => state.terminated?.exitCode === 0) ? 'Succeeded' : 'Failed';
}

/** What a container waits for that has its image and cannot be made. */
function configError(times: ContainerTimes, elapsedMs: number): ContainerState['waiting'] {
  const message = whyHeldBack(times, elapsedMs);
  return message === undefined ? undefined : { reason: 'CreateContainerConfigError', message };
}

function waiting(why: ContainerState['waiting']): Pick<ContainerStatus, 'state'> | undefined {
  return why && { state: { waiting: why } };
}

/** As kubelets list containers, but for init containers, which are in the order in which they run. */
function byName(statuses: readonly ContainerStatus[]): ContainerStatus[] {
  return [...statuses].sort(({ name: one }, { name: other }) => (one < other ? -1 : 1));
}
