/**
 * An evaluation that came to nothing, such as a division by zero. It travels as a
 * value, because `||` and `&&` go on past it, and because throwing is slow enough
 * to make a rule that fails a million times a weapon.
 */
export class Failure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

export function fail(message: string): Failure {
  return new Failure(message);
}

/** An evaluation cost more than it may. Unlike a failure, no operator goes on past it. */
export class OverBudgetError extends Error {
  override readonly name = 'OverBudgetError';

  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** Counts what an evaluation costs, in the units of Kubernetes: about 50 ns of its servers each. */
export class Meter {
  spent = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws OverBudgetError when more was spent than there is */
  spend(units: number): void {
    this.spent += units;
    if (this.spent > this.#limit) throw new OverBudgetError();
  }
}
