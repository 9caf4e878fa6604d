import type { DaemonState } from '../daemon/pull-daemon.js';
import type { PullView } from '../limiter/pull-state.js';
import type { PullProgress } from '../progress/progress-watch.js';

/** A pull as a line of a table. */
export interface PullRow extends PullView {
  /** Where it stands in the queue, from 1; 0 when it runs. */
  readonly position: number;
  readonly progress?: PullProgress;
}

/** Lists the running pulls, then the waiting ones in order. */
export function pullRows({ running, waiting }: DaemonState): readonly PullRow[] {
  return [
    ...running.map((pull) => ({ ...pull, position: 0 })),
    ...waiting.map((pull, index) => ({ ...pull, position: index + 1 })),
  ];
}

/** One line about the whole node. */
export function headline(state: DaemonState): string {
  const { limit, counted, waiting, paused, runtimeUp, draining, adopted, bypassed, limitSource } = state;
  const slots = limit === 0 ? `${counted} running, no limit` : `${counted} of ${limit} slots in use`;
  const notes = [
    adopted > 0 && `${adopted} of them in the process before`,
    limitSource === 'cluster' && 'limit of the cluster',
    paused && 'paused',
    draining && 'stopping',
    bypassed && 'bypassed',
    !runtimeUp && 'the container runtime is away',
  ];
  return [`${slots}, ${waiting.length} waiting`, ...notes.filter(Boolean)].join('; ');
}

/** Describes the current state of a pull in a few words. */
export function stateText({ state, position, progress }: PullRow): string {
  if (position > 0) return `waiting, position ${position}`;
  if (state === 'stalled') return `stalled ${secondsText(progress?.idleMs ?? 0)}`;
  if (state !== 'running' || !progress) return state;
  if (progress.phase !== 'fetching') return progress.phase;
  const whole = progress.layers.filter(({ bytes, totalBytes }) => bytes === totalBytes).length;
  return `layer ${Math.min(whole + 1, progress.layers.length)}/${progress.layers.length}${leftText(progress)}`;
}

function leftText({ bytes, totalBytes, bytesPerSecond }: PullProgress): string {
  return bytesPerSecond > 0 ? `, ${secondsText(((totalBytes - bytes) / bytesPerSecond) * 1_000)} left` : '';
}

/** Bytes that arrived, such as `3.1 GB of 12 GB`; `-` while that is not known. */
export function bytesText({ progress, position }: PullRow): string {
  if (position > 0 || !progress || progress.totalBytes === 0) return '-';
  return `${sizeText(progress.bytes)} of ${sizeText(progress.totalBytes)}`;
}

/** Bytes for people: `3.1 GB`, `640 kB`. */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1_000 ** power;
  return `${power > 0 && amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${units[power]}`;
}

/** A time for people: `4.8s`, `2m10s`, `1h05m`. */
export function secondsText(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  if (whole < 3_600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`;
  return `${Math.floor(whole / 3_600)}h${two(Math.floor((whole % 3_600) / 60))}m`;
}
