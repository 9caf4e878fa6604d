import type { Compiled } from './compile-expression.js';
import { fail, Meter, OverBudgetError } from './values/failure.js';
import type { Value } from './values/values.js';

/**
 * Units that one evaluation may cost. Upstream allows twice as much: its servers evaluate in
 * many threads, here everybody else waits meanwhile.
 */
const maxPerCall = 500_000;
/** Units after which others get a turn before evaluation goes on. */
const breath = 100_000;

/** An expression, or those of one policy or webhook together, cost more than they may: no other should be asked. */
export class OutOfBudgetError extends Error {
  override readonly name = 'OutOfBudgetError';
}

const allSpent = 'validation failed due to running out of cost budget, no further validation rules will be run';

/** What is left for the evaluations of one request. */
export class Budget {
  #left: number;
  #sinceBreath = 0;

  constructor(units: number) {
    this.#left = units;
  }

  /** Whether so much was evaluated since this was last asked that others should get a turn. */
  get isOutOfBreath(): boolean {
    const isOut = this.#sinceBreath > breath;
    if (isOut) this.#sinceBreath = 0;
    return isOut;
  }

  /**
   * Evaluates; what goes wrong is given back as a Failure.
   * @throws OutOfBudgetError with the text that the client sees
   */
  run({ source, program, order }: Compiled, values: Readonly<Record<string, Value>>): Value {
    const meter = new Meter(Math.min(maxPerCall, this.#left));
    try {
      return program.run(
        order.map((name) => values[name] ?? null),
        meter,
      );
    } catch (error) {
      // A value of a type that only shows when it is there, such as null.
      if (error instanceof TypeError || error instanceof RangeError) return fail('no such overload');
      if (!(error instanceof OverBudgetError)) throw error;
      const isAllSpent = meter.spent >= this.#left;
      throw new OutOfBudgetError(isAllSpent ? allSpent : `expression '${source}' resulted in error: ${error.message}`);
    } finally {
      this.#left -= meter.spent;
      this.#sinceBreath += meter.spent;
    }
  }
}
