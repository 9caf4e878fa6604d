import type { Container, Pod } from '../controllers/api/pods.js';
import { type Life, type LifeCourse, type LifeNow, lifeAt, livesOf } from './container-lives.js';
import { type SimulatedExit, simulatedExit } from './simulated-exit.js';

/** How long the steps of a simulated pod take, in milliseconds of the cluster's clock. */
export interface PodDelays {
  /** Getting an image that the node does not have. */
  readonly pullMs: number;
  /** From the image being there to the container running. */
  readonly startMs: number;
  /** How long init containers run. */
  readonly initMs: number;
  /** From running to ready. */
  readonly readyMs: number;
  /** From being asked to stop to having stopped; never longer than the grace period. */
  readonly stopMs: number;
}

/** Everything at once. */
export const noDelays: PodDelays = { pullMs: 0, startMs: 0, initMs: 0, readyMs: 0, stopMs: 0 };

/** When one container does what, in milliseconds after its pod was admitted. What never happens is at Infinity. */
export interface ContainerTimes {
  readonly container: Container;
  readonly kind: 'init' | 'sidecar' | 'main';
  /** When its image starts to be pulled; undefined when the node has it. */
  readonly pullAtMs: number | undefined;
  readonly pulledAtMs: number;
  readonly course: LifeCourse;
  /** With what it ends, each time it ends by itself. */
  readonly exitCode: number;
  /** From each start until it is ready. Init containers are ready once they have succeeded. */
  readonly readyAfterMs: number;
  /** When it is stopped because its pod is done: only sidecars are. */
  readonly stoppedAtMs: number;
}

/**
 * The life of a pod from admission on, known in advance because delays and exits
 * are fixed: init containers one after the other, then the others; images
 * one at a time. What a pod looks like at some moment follows from this alone, so a
 * kubelet that was away goes on where it would have been.
 */
export function podTimeline(
  pod: Pod,
  delays: PodDelays,
  hasImage: (image: string) => boolean,
): readonly ContainerTimes[] {
  const pulled = new Set<string>();
  const times: ContainerTimes[] = [];
  let atMs = 0;
  const add = (container: Container, kind: ContainerTimes['kind']) => {
    const { name, image = '', imagePullPolicy } = container;
    const isThere =
      imagePullPolicy === 'Never' || (imagePullPolicy !== 'Always' && (hasImage(image) || pulled.has(image)));
    const pulledAtMs = atMs + (isThere ? 0 : delays.pullMs);
    const startedAtMs = pulledAtMs + delays.startMs;
    const told = simulatedExit(pod, name);
    const exit = typeof told === 'string' ? undefined : told;
    const exitCode = exit?.code ?? 0;
    const lastsMs = lastingMs(kind, exit, delays);
    times.push({
      container,
      kind,
      pullAtMs: isThere ? undefined : atMs,
      pulledAtMs,
      course: { firstStartMs: startedAtMs, lastsMs, isRestarted: isRestarted(pod, kind, exitCode) },
      exitCode,
      readyAfterMs: delays.readyMs,
      stoppedAtMs: Number.POSITIVE_INFINITY,
    });
    pulled.add(image);
    const succeededAtMs = exitCode === 0 ? startedAtMs + lastsMs : Number.POSITIVE_INFINITY;
    atMs = kind === 'init' ? succeededAtMs : kind === 'sidecar' ? startedAtMs : pulledAtMs;
  };
  for (const container of pod.spec.initContainers ?? []) {
    add(container, container.restartPolicy === 'Always' ? 'sidecar' : 'init');
  }
  for (const container of pod.spec.containers) add(container, 'main');
  const doneAtMs = Math.max(...times.filter(({ kind }) => kind === 'main').map(({ course }) => endOf(course)));
  return times.map((each) => (each.kind === 'sidecar' ? { ...each, stoppedAtMs: doneAtMs } : each));
}

function lastingMs(kind: ContainerTimes['kind'], exit: SimulatedExit | undefined, { initMs }: PodDelays): number {
  if (kind === 'init') return exit?.afterMs ?? initMs;
  return exit ? (exit.afterMs ?? 0) : Number.POSITIVE_INFINITY;
}

function isRestarted({ spec: { restartPolicy = 'Always' } }: Pod, kind: ContainerTimes['kind'], exitCode: number) {
  if (kind === 'sidecar') return true;
  if (kind === 'main' && restartPolicy === 'Always') return true;
  return restartPolicy !== 'Never' && exitCode !== 0;
}

function endOf({ firstStartMs, lastsMs, isRestarted }: LifeCourse): number {
  return isRestarted ? Number.POSITIVE_INFINITY : firstStartMs + lastsMs;
}

/** What a container does at one moment, and with what its last life ended. */
export interface ContainerNow extends LifeNow {
  readonly exitCode: number;
  readonly isReady: boolean;
}

/** What a container does `elapsedMs` after its pod was admitted. */
export function containerAt(times: ContainerTimes, elapsedMs: number): ContainerNow {
  const { course, stoppedAtMs, readyAfterMs, kind, exitCode } = times;
  const now = lifeAt(course, Math.min(elapsedMs, stoppedAtMs));
  if (elapsedMs >= stoppedAtMs && now.life) {
    const wasStopped = now.life.endedAtMs > stoppedAtMs;
    const life = wasStopped ? { ...now.life, endedAtMs: stoppedAtMs } : now.life;
    const code = wasStopped ? 0 : exitCode;
    return { ...now, state: 'ended', life, untilMs: Number.POSITIVE_INFINITY, exitCode: code, isReady: false };
  }
  const readyAtMs = (now.life?.startedAtMs ?? Number.POSITIVE_INFINITY) + readyAfterMs;
  const isReady =
    kind === 'init' ? now.state === 'ended' && exitCode === 0 : now.state === 'running' && elapsedMs >= readyAtMs;
  const changes = [now.untilMs, stoppedAtMs, readyAtMs].filter((atMs) => atMs > elapsedMs);
  return { ...now, untilMs: Math.min(...changes, Number.POSITIVE_INFINITY), exitCode, isReady };
}

/** Milliseconds from `elapsedMs` to the next moment at which something happens; undefined when all has. */
export function nextMomentInMs(timeline: readonly ContainerTimes[], elapsedMs: number): number | undefined {
  const moments = timeline
    .flatMap((times) => [times.pulledAtMs, containerAt(times, elapsedMs).untilMs])
    .filter((atMs) => atMs > elapsedMs && Number.isFinite(atMs));
  return moments.length > 0 ? Math.min(...moments) - elapsedMs : undefined;
}

/** One thing that people are told about a container. */
export interface Told {
  readonly type: 'Normal' | 'Warning';
  readonly reason: 'Pulling' | 'Pulled' | 'Created' | 'Started' | 'BackOff';
  readonly message: string;
}

type ToldAt = Told & { readonly atMs: number };

/** What happened later than `afterMs` and not later than `untilMs`, in order. */
export function happenings(
  pod: Pod,
  timeline: readonly ContainerTimes[],
  afterMs: number,
  untilMs: number,
): readonly Told[] {
  return timeline
    .flatMap((times) => [
      ...firstPull(times),
      ...livesUntil(times, untilMs).flatMap((life) => toldOf(pod, times, life)),
    ])
    .filter(({ atMs }) => atMs > afterMs && atMs <= untilMs)
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ type, reason, message }) => ({ type, reason, message }));
}

function livesUntil({ course, stoppedAtMs }: ContainerTimes, untilMs: number): readonly Life[] {
  const lives: Life[] = [];
  for (const life of livesOf(course)) {
    if (life.startedAtMs > untilMs || life.startedAtMs >= stoppedAtMs) break;
    lives.push(life);
  }
  return lives;
}

function firstPull(times: ContainerTimes): readonly ToldAt[] {
  const { container, pullAtMs, pulledAtMs } = times;
  return pullAtMs === undefined ? [present(container, pulledAtMs)] : pull(container, pullAtMs, pulledAtMs);
}

function toldOf(pod: Pod, { container, stoppedAtMs }: ContainerTimes, life: Life): readonly ToldAt[] {
  const { startedAtMs: atMs, endedAtMs, backOffMs, restarts } = life;
  const { name } = container;
  const again = container.imagePullPolicy === 'Always' ? pull(container, atMs, atMs) : [present(container, atMs)];
  const backsOff = backOffMs > 0 && Number.isFinite(backOffMs) && endedAtMs < stoppedAtMs;
  const message = `Back-off restarting failed container ${name} in pod ${fullName(pod)}`;
  return [
    ...(restarts > 0 ? again : []),
    { atMs, type: 'Normal', reason: 'Created', message: `Created container: ${name}` },
    { atMs, type: 'Normal', reason: 'Started', message: `Started container ${name}` },
    ...(backsOff ? [{ atMs: endedAtMs, type: 'Warning', reason: 'BackOff', message } as const] : []),
  ];
}

function pull({ image = '' }: Container, fromMs: number, toMs: number): readonly ToldAt[] {
  const took = `${toMs - fromMs}ms`;
  const pulled = `Successfully pulled image "${image}" in ${took} (${took} including waiting)`;
  return [
    { atMs: fromMs, type: 'Normal', reason: 'Pulling', message: `Pulling image "${image}"` },
    { atMs: toMs, type: 'Normal', reason: 'Pulled', message: pulled },
  ];
}

function present({ image = '' }: Container, atMs: number): ToldAt {
  const message = `Container image "${image}" already present on machine`;
  return { atMs, type: 'Normal', reason: 'Pulled', message };
}

/** How a kubelet calls a pod in what it tells: `web-0_default(5b1…)`. */
export function fullName({ metadata: { name, namespace, uid } }: Pod): string {
  return `${name}_${namespace}(${uid})`;
}
