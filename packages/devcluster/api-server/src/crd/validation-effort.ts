/** Values that are checked against schemas for one object: each alternative of an anyOf counts again. */
const maxChecks = 500_000;
/** Steps of matching patterns for one object: the worst patterns take 200 ms for that, and cannot be interrupted. */
const maxMatchingSteps = 20_000_000;
/** Checks between two yields. */
const sliceOfChecks = 500;

/** Checking an object was given up: its schema asks too much of so many values. */
export class TooMuchEffortError extends Error {
  override readonly name = 'TooMuchEffortError';
}

/** Counts what checking one object takes: a small schema can demand that many values are checked many times. */
export class ValidationEffort {
  #checks = 0;
  #matchingSteps = 0;
  #untilYield = sliceOfChecks;

  /**
   * Counts checks.
   * @returns whether the event loop should have its turn
   * @throws TooMuchEffortError
   */
  spend(checks = 1): boolean {
    this.#checks += checks;
    if (this.#checks > maxChecks) throw new TooMuchEffortError();
    this.#untilYield -= checks;
    if (this.#untilYield > 0) return false;
    this.#untilYield = sliceOfChecks;
    return true;
  }

  /** Whether so many steps of matching may be done. */
  mayMatch(steps: number): boolean {
    this.#matchingSteps += steps;
    // Matching was the work of many checks.
    this.#untilYield -= steps / 1_000;
    return this.#matchingSteps <= maxMatchingSteps;
  }
}
