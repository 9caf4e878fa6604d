import { type Clock, systemClock } from '@slipway/kube';
import type { Resumable } from './resumable.js';
import { yieldToEventLoop } from './yield-to-event-loop.js';

/** Milliseconds for which work runs before it yields to the event loop. */
const sliceMs = 8;

/** Runs work in slices, and yields to the event loop between them. */
export async function runInSlices<Result>(work: Resumable<Result>, clock: Clock = systemClock): Promise<Result> {
  if (!isTurnSpent) {
    const step = slice(work, clock);
    if (step.done) return step.value;
    spendTurn();
  }
  return continueInSlices(work, clock);
}

/** Whether a work had a whole slice of this turn: works that begin wait, or ten that begin together would block. */
let isTurnSpent = false;

function spendTurn(): void {
  if (isTurnSpent) return;
  isTurnSpent = true;
  setImmediate(() => {
    isTurnSpent = false;
  });
}

/** Maximum number of yields of work that runs in one tick, for at most about 50 ms. */
const fewYields = 50;

/**
 * As `runInSlices`, but returns the result of work with few yields synchronously. That does not depend on the speed of
 * the machine, so small requests of components are served in the same order whenever a test is repeated.
 */
export function startInSlices<Result>(work: Resumable<Result>, clock: Clock = systemClock): Result | Promise<Result> {
  for (let yields = 0; yields <= fewYields; yields++) {
    const step = work.next();
    if (step.done) return step.value;
  }
  return continueInSlices(work, clock);
}

async function continueInSlices<Result>(work: Resumable<Result>, clock: Clock): Promise<Result> {
  for (;;) {
    await nextTurn();
    const step = slice(work, clock);
    if (step.done) return step.value;
    spendTurn();
  }
}

let lastTurn: Promise<void> = Promise.resolve();

/** The next tick in which no other work has a slice: together, the slices of ten works would block like one of 80 ms. */
function nextTurn(): Promise<void> {
  lastTurn = lastTurn.then(yieldToEventLoop);
  return lastTurn;
}

function slice<Result>(work: Resumable<Result>, clock: Clock): IteratorResult<void, Result> {
  const nowMs = () => clock.machineMs?.() ?? clock.monotonicMs();
  const until = nowMs() + sliceMs;
  for (;;) {
    const step = work.next();
    if (step.done || nowMs() >= until) return step;
  }
}
