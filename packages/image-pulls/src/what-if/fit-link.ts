import { connectionsPerPull, type PastPull } from './past-pull.js';
import { type Link, simulate } from './simulate.js';

/** A link under which the pulls would have gone as they did, and how far off its replay is. */
export interface FittedLink {
  readonly link: Link;
  /** What holds pulls up: the link they share, or what one connection can; `unclear` when both would explain it. */
  readonly binds: 'link' | 'connection' | 'unclear';
  /** 0.1 is 10 %: the larger one of the errors of the mean time and of the time in all. */
  readonly replayError: number;
}

/** Of the time that is not transfer, asking the registry is the smaller part. */
const resolveShare = 0.25;
const steps = [2, 1.4, 1.15, 1.05, 1.02];
/** Two explanations whose errors differ by less are equally good. */
const clearlyBetter = 0.02;

/** Finds the link that explains pulls best, by letting them happen again under the limit that held. */
export function fitLink(pulls: readonly PastPull[], limit: number): FittedLink {
  const shared = best(pulls, limit, { ...guess(pulls), connectionRate: Infinity }, ['rate']);
  const single = best(pulls, limit, { ...guess(pulls), rate: Infinity }, ['connectionRate']);
  const both = best(pulls, limit, { ...shared.link, connectionRate: single.link.connectionRate }, [
    'rate',
    'connectionRate',
  ]);
  const byItself = shared.error <= single.error ? shared : single;
  const chosen = both.error < byItself.error - clearlyBetter ? both : byItself;
  const isUnclear = chosen !== both && Math.abs(shared.error - single.error) < clearlyBetter;
  const binds = isUnclear ? 'unclear' : bindsOf(chosen.link, pulls, limit);
  return { link: chosen.link, binds, replayError: replayError(pulls, limit, chosen.link) };
}

interface Fit {
  readonly link: Link;
  readonly error: number;
}

/** Goes up and down in ever smaller steps from a guess, one number at a time, as long as that explains more. */
function best(
  pulls: readonly PastPull[],
  limit: number,
  from: Link,
  rates: readonly ('rate' | 'connectionRate')[],
): Fit {
  const tried = (link: Link): Fit => ({ link, error: shapeError(pulls, limit, link) });
  let fit = tried(from);
  for (const factor of steps) {
    for (let isBetter = true; isBetter; ) {
      const others = [factor, 1 / factor].flatMap((by) => [
        ...rates.map((name) => ({ ...fit.link, [name]: fit.link[name] * by })),
        { ...fit.link, resolveMs: fit.link.resolveMs * by, unpackMs: fit.link.unpackMs * by },
      ]);
      const better = others.map(tried).reduce((one, other) => (other.error < one.error ? other : one));
      isBetter = better.error < fit.error - 1e-4;
      if (isBetter) fit = better;
    }
  }
  return fit;
}

/** The most that came at once, on average over a pull, and what the smallest pull took. */
function guess(pulls: readonly PastPull[]): Link {
  const rates = pulls.map(({ bytes, pulledMs }) => bytes / Math.max(1, pulledMs));
  const rate = Math.max(...rates, 1) * 2;
  const otherMs = Math.max(1, Math.min(...pulls.map(({ pulledMs }) => pulledMs)) / 4);
  return {
    rate,
    connectionRate: rate / connectionsPerPull,
    resolveMs: otherMs * resolveShare,
    unpackMs: otherMs * (1 - resolveShare),
  };
}

/** How far the mean, the slow ones and the time in all are off together: the shape of what happened. */
function shapeError(pulls: readonly PastPull[], limit: number, link: Link): number {
  const [was, is] = [outlookOfPast(pulls), simulate(pulls, link, limit)];
  const of = (name: 'firstMs' | 'meanMs' | 'p95Ms' | 'busyMs') => off(is[name], was[name]);
  return (2 * of('meanMs') + of('p95Ms') + of('busyMs') + of('firstMs') / 2) / 4.5;
}

function replayError(pulls: readonly PastPull[], limit: number, link: Link): number {
  const [was, is] = [outlookOfPast(pulls), simulate(pulls, link, limit)];
  return Math.max(off(is.meanMs, was.meanMs), off(is.busyMs, was.busyMs));
}

function off(is: number, was: number): number {
  return Math.abs(is - was) / Math.max(1, was);
}

/** The same numbers of what happened. */
export function outlookOfPast(pulls: readonly PastPull[]): {
  readonly firstMs: number;
  readonly meanMs: number;
  readonly p95Ms: number;
  readonly busyMs: number;
} {
  const took = pulls.map(({ waitedMs, pulledMs }) => waitedMs + pulledMs).sort((a, b) => a - b);
  const spans = pulls.map(({ askedMs, waitedMs, pulledMs }) => [askedMs, askedMs + waitedMs + pulledMs] as const);
  let busyMs = 0;
  let untilMs = -Infinity;
  for (const [fromMs, toMs] of spans.sort((a, b) => a[0] - b[0])) {
    busyMs += Math.max(0, toMs - Math.max(fromMs, untilMs));
    untilMs = Math.max(untilMs, toMs);
  }
  return {
    firstMs: took[0] ?? 0,
    meanMs: took.reduce((sum, ms) => sum + ms, 0) / Math.max(1, took.length),
    p95Ms: took[Math.min(took.length - 1, Math.floor(took.length * 0.95))] ?? 0,
    busyMs,
  };
}

function bindsOf(link: Link, pulls: readonly PastPull[], limit: number): 'link' | 'connection' {
  const { saturatedMs, busyMs } = simulate(pulls, link, limit);
  return saturatedMs > busyMs / 4 ? 'link' : 'connection';
}
