import { copyWith } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { nextFailureMs } from '../probes/probing.js';
import { type LifeNow, lifeAt } from './container-lives.js';
import type { ContainerTimes } from './pod-timeline.js';

/** What a container does at one moment, and with what its last life ended. */
export interface ContainerNow extends LifeNow {
  readonly exitCode: number;
  readonly isReady: boolean;
  /** Its startup probe, if it has one, has succeeded. */
  readonly isStarted: boolean;
}

/** Returns the state of a container `elapsedMs` after its pod was admitted. */
export function containerAt(times: ContainerTimes, elapsedMs: number): ContainerNow {
  const { course, stoppedAtMs, kind, probing } = times;
  const now = lifeAt(course, Math.min(elapsedMs, stoppedAtMs));
  const exitCode = now.life?.exitCode ?? times.exitCode;
  if (elapsedMs >= stoppedAtMs && now.life) return stoppedNow(times, now);
  if (!now.life || now.state !== 'running') {
    const isReady = kind === 'init' && now.state === 'ended' && exitCode === 0;
    const untilMs = Math.min(now.untilMs, later(stoppedAtMs, elapsedMs));
    return copyWith(now, { untilMs, exitCode, isReady, isStarted: false });
  }
  const { startedAtMs } = now.life;
  const ranMs = elapsedMs - startedAtMs;
  const isReady = probing.readiness.findLast(({ atMs }) => atMs <= ranMs)?.succeeds ?? false;
  const turns = [probing.startedMs, ...probing.readiness.map(({ atMs }) => atMs)].map((atMs) => startedAtMs + atMs);
  const changes = [now.untilMs, stoppedAtMs, ...turns].map((atMs) => later(atMs, elapsedMs));
  return copyWith(now, {
    untilMs: Math.min(...changes),
    exitCode,
    isReady: kind !== 'init' && kind !== 'ephemeral' && isReady,
    isStarted: probing.startedMs <= ranMs,
  });
}

function stoppedNow({ stoppedAtMs, exitCode: usual, stopCode, kind }: ContainerTimes, now: LifeNow): ContainerNow {
  const exitCode = now.life?.exitCode ?? usual;
  const isReady = kind === 'init' && now.state === 'ended' && exitCode === 0;
  const over = { ...now, untilMs: Number.POSITIVE_INFINITY, isReady, isStarted: false };
  if (!now.life || now.life.endedAtMs <= stoppedAtMs) return { ...over, state: 'ended', exitCode };
  return { ...over, state: 'ended', life: { ...now.life, endedAtMs: stoppedAtMs }, exitCode: stopCode };
}

/** Milliseconds from `elapsedMs` to the next moment at which something happens; undefined when all has. */
export function nextMomentInMs(pod: Pod, timeline: readonly ContainerTimes[], elapsedMs: number): number | undefined {
  const moments = timeline
    .flatMap((times) => [times.imageFromMs, times.pulledAtMs, ...momentsOf(pod, times, elapsedMs)])
    .filter((atMs) => atMs > elapsedMs && Number.isFinite(atMs));
  return moments.length > 0 ? Math.min(...moments) - elapsedMs : undefined;
}

function momentsOf(pod: Pod, times: ContainerTimes, elapsedMs: number): readonly number[] {
  const { state, life, untilMs } = containerAt(times, elapsedMs);
  if (state !== 'running' || !life) return [untilMs];
  const { startedAtMs } = life;
  return [untilMs, startedAtMs + nextFailureMs(pod, times.container, times.probing, elapsedMs - startedAtMs)];
}

function later(atMs: number, thanMs: number): number {
  return atMs > thanMs ? atMs : Number.POSITIVE_INFINITY;
}
