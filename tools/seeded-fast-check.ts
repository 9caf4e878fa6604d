import fc from 'fast-check';

// Tests import fast-check through this file: vitest.config.ts says so, and which seed it is.
fc.configureGlobal({ seed: Number(process.env.SLIPWAY_SEED) });

/** What of the runs of a property an ordinary run of the tests makes. They are the first ones: CI makes all of them. */
const share = Number(process.env.SLIPWAY_PROPERTY_SHARE ?? (process.env.SLIPWAY_REQUIRE_REAL ? 1 : 0.25));
const fewest = 25;
const usualRuns = 100;

function assert<Ts>(property: fc.IAsyncProperty<Ts>, params?: fc.Parameters<Ts>): Promise<void>;
function assert<Ts>(property: fc.IProperty<Ts>, params?: fc.Parameters<Ts>): void;
function assert<Ts>(property: fc.IRawProperty<Ts>, params: fc.Parameters<Ts> = {}): Promise<void> | void {
  const { numRuns = usualRuns } = params;
  const some = Math.min(numRuns, Math.max(fewest, Math.ceil(numRuns * share)));
  return fc.assert(property, { ...params, numRuns: some });
}

export default { ...fc, assert };
