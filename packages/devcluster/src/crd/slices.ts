import { type Clock, systemClock } from '@slipway/kube';

/** Work that may rest wherever it yields. */
export type Work<Result> = Generator<void, Result>;

/** How long work goes on before others have their turn, in milliseconds. */
const sliceMs = 8;

/** Does work without a rest. */
export function atOnce<Result>(work: Work<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

/** Does work in slices, between which others have their turn. */
export async function inSlices<Result>(work: Work<Result>, clock: Clock = systemClock): Promise<Result> {
  for (;;) {
    const until = clock.monotonicMs() + sliceMs;
    do {
      const step = work.next();
      if (step.done) return step.value;
    } while (clock.monotonicMs() < until);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
