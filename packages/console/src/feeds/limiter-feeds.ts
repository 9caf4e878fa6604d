import type { DaemonState } from '@slipway/image-pulls';
import { bytesText, headline, type PullRow, pullRows, sizeText, stateText } from '@slipway/image-pulls/views';
import { timestamp } from '@slipway/kube';
import type { Feed } from './feed.js';
import type { Limiter } from './limiter.js';
import type { Problem } from './problem.js';
import { rowChanges } from './row-changes.js';

/** A limiter as the page of pulls shows it. */
export interface LimiterCard {
  readonly name: string;
  /** As the commands have it: slots in use, waiting pulls, and what is unusual. */
  readonly headline?: string;
  readonly limit?: number;
  readonly counted?: number;
  readonly waiting?: number;
  readonly stalled?: number;
  readonly paused?: boolean;
  /** Bytes of all pulls in a second, such as `85 MB/s`. */
  readonly rate?: string;
  readonly hasJournal: boolean;
  readonly isAssumed: boolean;
  readonly problem?: Problem;
}

/** A pull in the queue of a limiter. */
export interface PullLine {
  readonly key: string;
  readonly image: string;
  readonly registry: string;
  readonly callers: number;
  readonly pods: string;
  readonly state: PullRow['state'];
  /** The state as the commands say it. */
  readonly words: string;
  readonly bytes: string;
  readonly rate: string;
  /** Of its bytes, from 0 to 1, where that is known. */
  readonly share?: number;
  /** When it began to wait or, while it runs, to run. RFC 3339. */
  readonly since: string;
  /** Running pulls come first, then the waiting ones in order. */
  readonly order: number;
}

/** All limiters that the console was told of. */
export function limitersFeed(limiters: readonly Limiter[]): Feed {
  return (send, signal) => {
    let sent = '';
    const report = () => {
      if (limiters.some(({ state, problem }) => !state && !problem)) return;
      const cards = limiters.map(cardOf);
      const text = JSON.stringify(cards);
      if (text === sent) return;
      sent = text;
      send({ type: 'document', document: cards });
    };
    report();
    const watching = limiters.map((limiter) => limiter.onAnswer(report));
    signal.addEventListener('abort', () => {
      for (const each of watching) each.close();
    });
  };
}

/** The queue of one limiter, as `slipway pulls list` shows it. */
export function queueFeed(limiter: Limiter): Feed {
  return (send, signal) => {
    const changes = rowChanges<PullLine>();
    const began = new Map<string, string>();
    let told = false;
    const report = () => {
      const { state, problem, readAtMs } = limiter;
      if (problem || told) send({ type: 'problem', ...(problem && { problem }) });
      told = problem !== undefined;
      const message = state && changes(pullLines(state, readAtMs, began));
      if (message) send(message);
    };
    if (limiter.state) report();
    const watching = limiter.onAnswer(report);
    signal.addEventListener('abort', () => watching.close());
  };
}

function cardOf({ address: { name, journal, isAssumed = false }, state, problem }: Limiter): LimiterCard {
  const about = { name, hasJournal: journal !== undefined, isAssumed };
  if (problem || !state) return { ...about, ...(problem && { problem }) };
  const { limit, counted, waiting, running, paused } = state;
  const perSecond = running.reduce((sum, { progress }) => sum + (progress?.bytesPerSecond ?? 0), 0);
  return {
    ...about,
    headline: headline(state),
    limit,
    counted,
    waiting: waiting.length,
    stalled: running.filter((pull) => pull.state === 'stalled').length,
    paused,
    rate: perSecond > 0 ? `${sizeText(perSecond)}/s` : '',
  };
}

/** @param began when each pull began to wait or run, so that a pull that only grows older is the same line */
export function pullLines(state: DaemonState, readAtMs: number, began: Map<string, string>): readonly PullLine[] {
  const lines = pullRows(state).map((row): PullLine => {
    const { id, image, registry, callers, pods, position, progress, waitedMs, runningMs } = row;
    const moment = `${id} ${position > 0}`;
    const since = began.get(moment) ?? timestamp(readAtMs - (position > 0 ? waitedMs : runningMs));
    began.set(moment, since);
    const { bytes = 0, totalBytes = 0, bytesPerSecond = 0 } = progress ?? {};
    return {
      key: String(id),
      image: image || '(unreadable)',
      registry,
      callers,
      pods: pods.join(', '),
      state: row.state,
      words: stateText(row),
      bytes: bytesText(row),
      rate: bytesPerSecond > 0 ? `${sizeText(bytesPerSecond)}/s` : '',
      ...(totalBytes > 0 && { share: bytes / totalBytes }),
      since,
      order: position === 0 ? id - Number.MAX_SAFE_INTEGER : position,
    };
  });
  const known = new Set(lines.map(({ key }) => key));
  for (const moment of began.keys()) if (!known.has(moment.split(' ')[0] ?? '')) began.delete(moment);
  return lines;
}
