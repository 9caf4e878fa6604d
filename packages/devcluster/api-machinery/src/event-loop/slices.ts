import { type Clock, systemClock } from '@slipway/kube';
import type { Work } from './work.js';
import { yieldToEventLoop } from './yield-to-event-loop.js';

/** How long work goes on before others have their turn, in milliseconds. */
const sliceMs = 8;

/** Does work in slices, between which others have their turn. */
export async function inSlices<Result>(work: Work<Result>, clock: Clock = systemClock): Promise<Result> {
  const step = slice(work, clock);
  return step.done ? step.value : continueInSlices(work, clock);
}

/** Work that yields no more often is done in one turn, some 50 ms at most. */
const fewYields = 50;

/**
 * As `inSlices`, but work of few yields has its result at once. How fast the machine is plays no part in that: small
 * requests of components follow one another in the same order whenever a test plays the same story.
 */
export function startInSlices<Result>(work: Work<Result>, clock: Clock = systemClock): Result | Promise<Result> {
  for (let yields = 0; yields <= fewYields; yields++) {
    const step = work.next();
    if (step.done) return step.value;
  }
  return continueInSlices(work, clock);
}

async function continueInSlices<Result>(work: Work<Result>, clock: Clock): Promise<Result> {
  for (;;) {
    await yieldToEventLoop();
    const step = slice(work, clock);
    if (step.done) return step.value;
  }
}

function slice<Result>(work: Work<Result>, clock: Clock): IteratorResult<void, Result> {
  const nowMs = () => clock.machineMs?.() ?? clock.monotonicMs();
  const until = nowMs() + sliceMs;
  for (;;) {
    const step = work.next();
    if (step.done || nowMs() >= until) return step;
  }
}
