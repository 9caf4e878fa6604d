import { type Clock, systemClock } from '@slipway/kube';
import { othersTurn } from './others-turn.js';
import type { Work } from './work.js';

/** How long work goes on before others have their turn, in milliseconds. */
const sliceMs = 8;

/** Does work in slices, between which others have their turn. */
export async function inSlices<Result>(work: Work<Result>, clock: Clock = systemClock): Promise<Result> {
  const nowMs = () => clock.machineMs?.() ?? clock.monotonicMs();
  for (;;) {
    const until = nowMs() + sliceMs;
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (nowMs() < until);
    await othersTurn();
  }
}
