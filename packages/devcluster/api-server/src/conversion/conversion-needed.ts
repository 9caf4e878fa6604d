import type { ResourceDefinition } from '../registry/resource-definition.js';

/** A computation needs an object in another version of its kind, which a webhook has to convert first. */
export class ConversionNeededError extends Error {
  override readonly name = 'ConversionNeededError';
  /** Resolves when the computation can be repeated. */
  readonly convert: () => Promise<void>;

  constructor(convert: () => Promise<void>) {
    super('a webhook has to convert an object first');
    this.convert = convert;
  }
}

/** A computation with more versions than this does not end. */
const maxConversions = 64;

/**
 * Runs a computation without effects, and again whenever it needed an object in another version.
 * @throws StatusError, by the promise, when a webhook does not convert an object
 */
export function withConversions<Result>(
  { conversion }: ResourceDefinition,
  run: () => Result | Promise<Result>,
): Result | Promise<Result> {
  return conversion ? repeat(run) : run();
}

async function repeat<Result>(run: () => Result | Promise<Result>): Promise<Result> {
  for (let count = 0; ; count += 1) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ConversionNeededError) || count === maxConversions) throw error;
      await error.convert();
    }
  }
}
