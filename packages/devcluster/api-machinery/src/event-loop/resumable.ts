/** Work that can be suspended wherever it yields. */
export type Resumable<Result> = Generator<void, Result>;

/** Runs work without suspending it. */
export function runToCompletion<Result>(work: Resumable<Result>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
