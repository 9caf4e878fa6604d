import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { containerAt } from './container-at.js';
import type { ToldExit } from './container-lives.js';
import { type ContainerTimes, withSidecarsStopped } from './pod-timeline.js';
import { isRestarted } from './restarts.js';

/** The timeline of a pod of which some containers are stopped and started again at once. */
export function interrupted(
  timeline: readonly ContainerTimes[],
  containers: readonly string[],
  atMs: number,
): readonly ContainerTimes[] {
  const changed = timeline.map((times) => {
    if (!containers.includes(times.container.name)) return times;
    const { course } = times;
    return {
      ...times,
      course: { ...course, interruptions: [...(course.interruptions ?? []), { atMs, resumesAtMs: atMs }] },
    };
  });
  return withSidecarsStopped(changed);
}

/** How a program ended. */
export interface ProgramExit {
  readonly container: string;
  readonly code: number;
  /** What it left for its status. */
  readonly message?: string | undefined;
}

/**
 * The timeline of a pod in which the program of a container that runs ended. Init containers whose end is settled stay
 * as they are.
 */
export function exited(
  pod: Pod,
  timeline: readonly ContainerTimes[],
  { container, code, message }: ProgramExit,
  atMs: number,
): readonly ContainerTimes[] {
  const changed = timeline.map((times) => {
    const { state, life } = containerAt(times, atMs);
    const isSettled = times.kind === 'init' && Number.isFinite(times.course.lastsMs);
    if (times.container.name !== container || isSettled || state !== 'running' || !life) return times;
    const exit: ToldExit = {
      restarts: life.restarts,
      atMs,
      code,
      isRestarted: isRestarted(pod, times.container, times.kind, code),
      ...(message && { message }),
    };
    return { ...times, course: { ...times.course, exits: [...(times.course.exits ?? []), exit] } };
  });
  return withSidecarsStopped(changed);
}

/**
 * The timeline of a pod whose kubelet was made anew and knows nothing but its status: where that tells of more restarts
 * than were to be expected, containers go on from the last one; where it tells of an end that nothing else tells of,
 * they have ended.
 */
export function asReported(
  timeline: readonly ContainerTimes[],
  pod: Pod,
  admittedAtMs: number,
  elapsedMs: number,
): readonly ContainerTimes[] {
  const { status = {} } = pod;
  const known = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return timeline.map((times) => {
    const { restartCount = 0, state, lastState } = known.find(({ name }) => name === times.container.name) ?? {};
    const ended = state?.terminated ?? (state?.waiting && lastState?.terminated);
    if (ended && !Number.isFinite(times.course.lastsMs)) {
      const [firstStartMs, atMs] = [ended.startedAt, ended.finishedAt].map((at) => Date.parse(at ?? '') - admittedAtMs);
      const code = ended.exitCode;
      const exit = {
        restarts: restartCount,
        atMs: atMs ?? 0,
        code,
        isRestarted: isRestarted(pod, times.container, times.kind, code),
      };
      const course = { ...times.course, firstStartMs: firstStartMs ?? 0, restartsBefore: restartCount, exits: [exit] };
      return { ...times, course };
    }
    const expected = containerAt(times, elapsedMs).life?.restarts ?? 0;
    if (restartCount <= expected || !state?.running) return times;
    const firstStartMs = Date.parse(state.running.startedAt) - admittedAtMs;
    return { ...times, course: { ...times.course, firstStartMs, restartsBefore: restartCount } };
  });
}

/** The timeline of a pod to which containers were added while it runs; `fresh` is the one that it would have from now on. */
export function withAdded(
  timeline: readonly ContainerTimes[],
  fresh: readonly ContainerTimes[],
  nowMs: number,
): readonly ContainerTimes[] {
  const known = new Set(timeline.map(({ container }) => container.name));
  const added = fresh.filter(({ kind, container }) => kind === 'ephemeral' && !known.has(container.name));
  if (added.length === 0) return timeline;
  const later = added.map((times) => ({
    ...times,
    imageFromMs: nowMs,
    pullAtMs: times.pullAtMs === undefined ? undefined : nowMs,
    pulledAtMs: nowMs + times.pulledAtMs,
    course: { ...times.course, firstStartMs: nowMs + times.course.firstStartMs },
  }));
  return withSidecarsStopped([...timeline, ...later]);
}

/** When a container that is told to stop has stopped, and with what. */
export interface Stop {
  readonly atMs: number;
  readonly code: 0 | 137;
}

/** The timeline of a pod that is stopped altogether; `stops` says when each container has. */
export function stopped(
  timeline: readonly ContainerTimes[],
  stops: ReadonlyMap<string, Stop>,
): readonly ContainerTimes[] {
  return timeline.map((times) => {
    const stop = stops.get(times.container.name);
    if (!stop || times.stoppedAtMs <= stop.atMs) return times;
    return { ...times, stoppedAtMs: stop.atMs, stopCode: stop.code };
  });
}
