import { type Clock, systemClock } from '@slipway/kube';
import { othersTurn } from './others-turn.js';
import type { Work } from './work.js';

/** How long work goes on before others have their turn, in milliseconds. */
const sliceMs = 8;

/** Does work in slices, between which others have their turn. */
export async function inSlices<Result>(work: Work<Result>, clock: Clock = systemClock): Promise<Result> {
  const step = slice(work, clock);
  return step.done ? step.value : continueInSlices(work, clock);
}

/** Work that yields less often is not interrupted, however busy the machine is: nothing comes between its steps. */
const fewYields = 20;

/** As `inSlices`, but what one slice or a few yields suffice for has its result at once. */
export function startInSlices<Result>(work: Work<Result>, clock: Clock = systemClock): Result | Promise<Result> {
  const step = slice(work, clock, fewYields);
  return step.done ? step.value : continueInSlices(work, clock);
}

async function continueInSlices<Result>(work: Work<Result>, clock: Clock): Promise<Result> {
  for (;;) {
    await othersTurn();
    const step = slice(work, clock);
    if (step.done) return step.value;
  }
}

function slice<Result>(work: Work<Result>, clock: Clock, minYields = 1): IteratorResult<void, Result> {
  const nowMs = () => clock.machineMs?.() ?? clock.monotonicMs();
  const until = nowMs() + sliceMs;
  for (let yields = 1; ; yields++) {
    const step = work.next();
    if (step.done || (yields >= minYields && nowMs() >= until)) return step;
  }
}
