import { fitLink, outlookOfPast } from './fit-link.js';
import type { PastPull, PastPulls } from './past-pull.js';
import { type Link, type Outlook, simulate } from './simulate.js';

/** What another limit would have meant for pulls that were. */
export interface WhatIf {
  readonly pulls: number;
  readonly overlapping: number;
  /** The limit that held. */
  readonly limit: number;
  readonly was: ReturnType<typeof outlookOfPast>;
  readonly link: Link;
  readonly binds: 'link' | 'connection' | 'unclear';
  /** 0.1 is 10 %. */
  readonly replayError: number;
  readonly outlooks: readonly Outlook[];
  readonly verdict: Verdict;
}

/** The limit that would have been best, 0 for none; or why that cannot be said. */
export type Verdict =
  | { readonly kind: 'recommended'; readonly limit: number; readonly betterBy: number }
  | { readonly kind: 'refused'; readonly reason: string };

export const fewestOverlapping = 30;
export const largestReplayError = 0.15;
/** How much longer all pulls together, and the slow ones, may take for the sake of the mean. */
const largestDelay = 1.05;
/** A limit that is not better by as much is not worth having. */
const worthIt = 0.02;

/**
 * Says which of some limits would have been best: the least mean time to an image, if everything together takes
 * hardly longer, and the slow ones hardly longer than they did. Replays what was first, and recommends nothing when
 * that is too far off, or when too few pulls overlapped for a limit to matter.
 */
export function whatIf({ pulls, limit }: PastPulls, limits: readonly number[]): WhatIf {
  const { link, binds, replayError } = fitLink(pulls, limit);
  const wanted = [...new Set([...limits, limit, 0])].sort((a, b) => (a || Infinity) - (b || Infinity));
  const outlooks = wanted.map((one) => simulate(pulls, link, one));
  const overlapping = countOverlapping(pulls);
  const about = { pulls: pulls.length, overlapping, limit, was: outlookOfPast(pulls), link, binds, replayError };
  return { ...about, outlooks, verdict: verdictOf(about, outlooks) };
}

function verdictOf(
  { overlapping, limit, binds, replayError }: Pick<WhatIf, 'overlapping' | 'limit' | 'binds' | 'replayError'>,
  outlooks: readonly Outlook[],
): Verdict {
  const refused = (reason: string): Verdict => ({ kind: 'refused', reason });
  if (overlapping < fewestOverlapping) {
    return refused(
      `not enough overlap in the records: ${overlapping} pulls met others, and it takes ${fewestOverlapping}`,
    );
  }
  if (replayError > largestReplayError) {
    const percent = (share: number) => `${Math.round(share * 100)} %`;
    return refused(
      `the replay of what was is off by ${percent(replayError)}, more than ${percent(largestReplayError)}: the records do not fit one link`,
    );
  }
  if (binds === 'unclear') {
    return refused(
      'the records do not tell whether the link or each connection is slow: let more or fewer pulls run for a while',
    );
  }
  const now = outlooks.find((one) => one.limit === limit);
  const none = outlooks.find((one) => one.limit === 0);
  if (!now || !none) return refused('nothing to compare with');
  const shortest = Math.min(...outlooks.map(({ busyMs }) => busyMs));
  const fitting = outlooks.filter(
    ({ busyMs, p95Ms }) => busyMs <= shortest * largestDelay && p95Ms <= Math.max(now.p95Ms, none.p95Ms) * largestDelay,
  );
  const best = fitting.reduce((one, other) => (other.meanMs < one.meanMs ? other : one), none);
  const betterBy = 1 - best.meanMs / none.meanMs;
  if (best.limit === 0 || betterBy < worthIt) return { kind: 'recommended', limit: 0, betterBy: 0 };
  return { kind: 'recommended', limit: best.limit, betterBy };
}

/** How many pulls wanted to run while another one did. */
function countOverlapping(pulls: readonly PastPull[]): number {
  const spans = pulls
    .map(({ askedMs, waitedMs, pulledMs }) => ({ fromMs: askedMs, toMs: askedMs + waitedMs + pulledMs }))
    .sort((a, b) => a.fromMs - b.fromMs);
  let untilMs = -Infinity;
  let count = 0;
  for (const [at, { fromMs, toMs }] of spans.entries()) {
    const meetsNext = (spans[at + 1]?.fromMs ?? Infinity) < Math.max(untilMs, toMs);
    if (fromMs < untilMs || meetsNext) count += 1;
    untilMs = Math.max(untilMs, toMs);
  }
  return count;
}
