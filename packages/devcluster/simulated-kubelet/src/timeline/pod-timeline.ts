import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';
import { programOf } from '../exec/program-of.js';
import { probeAction } from '../probes/exec-probe.js';
import { type Probing, probingOf } from '../probes/probing.js';
import { type SimulatedExit, simulatedExit } from '../simulation/simulated-exit.js';
import { type LifeCourse, livesOf } from './container-lives.js';
import { type ContainerKind, isRestarted } from './restarts.js';

/** How long the steps of a simulated pod take, in milliseconds of the cluster's clock. */
export interface PodDelays {
  /** Getting an image that the node does not have. */
  readonly pullMs: number;
  /** From the image being there to the container running. */
  readonly startMs: number;
  /** How long init containers run. */
  readonly initMs: number;
  /** From running to ready, of containers without a readiness probe. */
  readonly readyMs: number;
  /** From being asked to stop to having stopped; never longer than the grace period. */
  readonly stopMs: number;
  /** From a resize being granted to containers running with it. */
  readonly resizeMs: number;
}

/** Everything at once. */
export const noDelays: PodDelays = { pullMs: 0, startMs: 0, initMs: 0, readyMs: 0, stopMs: 0, resizeMs: 0 };

/** When the image of a container is there, asked for at `fromMs`; all in milliseconds after the pod was admitted. */
export type ImageTimes = (container: Container, fromMs: number) => ImageTime;

export interface ImageTime {
  /** When it starts to be pulled; undefined when the node has it. */
  readonly pullAtMs: number | undefined;
  /** Infinity while unknown. */
  readonly pulledAtMs: number;
  /** Whether another component reports the pull. */
  readonly isToldByOthers?: true;
}

/** When one container does what, in milliseconds after its pod was admitted. What never happens is at Infinity. */
export interface ContainerTimes extends ImageTime {
  readonly container: Container;
  readonly kind: ContainerKind;
  /** When it is its turn to have its image. */
  readonly imageFromMs: number;
  /** What keeps it from being made though its image is there, or kept it. */
  readonly held?: HeldBack;
  readonly course: LifeCourse;
  /** With what it ends, each time it ends by itself or because of its probes. */
  readonly exitCode: number;
  /** What its probes find each time it runs. */
  readonly probing: Probing;
  /** When it is stopped for good: sidecars once their pod is done, all containers with their pod. */
  readonly stoppedAtMs: number;
  /** With what it ends then: 137 when it did not stop in time. */
  readonly stopCode: 0 | 137;
}

/** Why a container was not made, and until when; Infinity while it is not known. */
export interface HeldBack {
  readonly why: string;
  readonly untilMs: number;
}

/**
 * The life of a pod from admission on, known in advance because delays and exits
 * are fixed: init containers one after the other, then the others; images
 * one at a time. What a pod looks like at some moment follows from this alone, so a
 * kubelet that was away goes on where it would have been.
 */
export function podTimeline(pod: Pod, delays: PodDelays, images: ImageTimes): readonly ContainerTimes[] {
  const ofInit = (pod.spec.initContainers ?? []).map((container) => {
    return newTimes(pod, delays, container, container.restartPolicy === 'Always' ? 'sidecar' : 'init');
  });
  const ofMain = pod.spec.containers.map((container) => newTimes(pod, delays, container, 'main'));
  const added = (pod.spec.ephemeralContainers ?? []).map((container) => newTimes(pod, delays, container, 'ephemeral'));
  return arranged([...ofInit, ...ofMain, ...added], delays, images);
}

/** Puts containers in their order, given when their images are there. Those that were resumed later stay where they are. */
export function arranged(
  timeline: readonly ContainerTimes[],
  delays: PodDelays,
  images: ImageTimes,
): readonly ContainerTimes[] {
  let atMs = 0;
  const placed = timeline.map((times) => {
    const { container, kind, held, course, exitCode, probing } = times;
    const isGivenAnother = course.interruptions?.some(({ isForImage }) => isForImage) ?? false;
    const imageFromMs = kind === 'ephemeral' || isGivenAnother ? times.imageFromMs : atMs;
    const image = images(container, imageFromMs);
    if (isGivenAnother) return resumedWith(times, image, delays);
    const isResumed = course.restartsBefore !== undefined;
    const firstStartMs = isResumed
      ? course.firstStartMs
      : Math.max(image.pulledAtMs, held?.untilMs ?? 0) + delays.startMs;
    const succeededAtMs = successMs(
      course.exits,
      exitCode === 0 ? firstStartMs + course.lastsMs : Number.POSITIVE_INFINITY,
    );
    // Containers that wait for their image do not keep others from theirs.
    const pulledMs = Number.isFinite(image.pulledAtMs) ? image.pulledAtMs : atMs;
    const nextMs = { init: succeededAtMs, sidecar: firstStartMs + probing.startedMs, main: pulledMs, ephemeral: atMs };
    atMs = Math.max(atMs, nextMs[kind]);
    return { ...times, ...image, imageFromMs, course: { ...course, firstStartMs } };
  });
  return withSidecarsStopped(placed);
}

/** A container that was given another image while it ran: it is started again once that is there. Others do not wait for it. */
export function resumedWith(
  times: ContainerTimes,
  image: ImageTime,
  { startMs }: Pick<PodDelays, 'startMs'>,
): ContainerTimes {
  const interruptions = [...(times.course.interruptions ?? [])];
  const last = interruptions.findLastIndex(({ isForImage }) => isForImage);
  const { atMs = 0 } = interruptions[last] ?? {};
  interruptions[last] = { atMs, resumesAtMs: image.pulledAtMs + startMs, isForImage: true };
  return { ...times, ...image, course: { ...times.course, interruptions } };
}

/** When an init container has done what it is for: as was known in advance, unless its program ended otherwise. */
function successMs(exits: LifeCourse['exits'], plannedMs: number): number {
  const last = exits?.at(-1);
  return last && !last.isRestarted && last.code === 0 ? last.atMs : plannedMs;
}

/** Sidecars, and containers that were added later, end once the containers of the pod have. */
export function withSidecarsStopped(timeline: readonly ContainerTimes[]): readonly ContainerTimes[] {
  const doneAtMs = Math.max(...timeline.filter(({ kind }) => kind === 'main').map(endOf));
  return timeline.map((times) => {
    const isBeside = times.kind === 'sidecar' || times.kind === 'ephemeral';
    if (!isBeside || times.stoppedAtMs <= doneAtMs) return times;
    return { ...times, stoppedAtMs: doneAtMs };
  });
}

/** A container of which nothing is known but how it behaves. */
function newTimes(pod: Pod, delays: PodDelays, container: Container, kind: ContainerTimes['kind']): ContainerTimes {
  const told = simulatedExit(pod, container.name);
  const exit = typeof told === 'string' ? undefined : told;
  const probing = probingOf(pod, container, delays.readyMs);
  const exitsMs = lastingMs(kind, exit, delays, programOf(pod, container) !== undefined);
  const killedMs = probing.killed?.atMs ?? Number.POSITIVE_INFINITY;
  const exitCode = killedMs < exitsMs ? 137 : (exit?.code ?? 0);
  const lastsMs = Math.min(exitsMs, killedMs);
  return {
    container,
    kind,
    imageFromMs: 0,
    pullAtMs: undefined,
    pulledAtMs: 0,
    course: { firstStartMs: 0, lastsMs, isRestarted: isRestarted(pod, container, kind, exitCode) },
    exitCode,
    probing: isAwaited(pod, container, kind) ? { ...probing, startedMs: Number.POSITIVE_INFINITY } : probing,
    stoppedAtMs: Number.POSITIVE_INFINITY,
    stopCode: 0,
  };
}

/** Whether it is not known when a sidecar has started: a command says so that is run in it. */
function isAwaited(pod: Pod, container: Container, kind: ContainerKind): boolean {
  if (kind !== 'sidecar' || !probeAction(pod, container, 'startup')) return false;
  return !pod.status?.initContainerStatuses?.some(({ name, started }) => name === container.name && started);
}

function lastingMs(
  kind: ContainerTimes['kind'],
  exit: SimulatedExit | undefined,
  { initMs }: PodDelays,
  isRun: boolean,
): number {
  if (isRun) return Number.POSITIVE_INFINITY;
  if (kind === 'init') return exit?.afterMs ?? initMs;
  return exit ? (exit.afterMs ?? 0) : Number.POSITIVE_INFINITY;
}

/** When a container has ended for good; Infinity when it never does. */
function endOf({ course, stoppedAtMs }: ContainerTimes): number {
  const toldLast = course.exits?.at(-1);
  if (toldLast && !toldLast.isRestarted) return Math.min(stoppedAtMs, toldLast.atMs);
  if (course.isRestarted) return stoppedAtMs;
  const last = [...livesOf(course)].at(-1);
  return Math.min(stoppedAtMs, last?.endedAtMs ?? Number.POSITIVE_INFINITY);
}
