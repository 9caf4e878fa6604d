/** Work that may rest wherever it yields. */
export type Work<Result> = Generator<void, Result>;

/** Does work without a rest. */
export function atOnce<Result>(work: Work<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
