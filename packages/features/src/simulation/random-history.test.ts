import fc from 'fast-check';
import { expect, test } from 'vitest';
import { brokenBy, histories } from './random-history.js';

/** All of them at night: SLIPWAY_SIMULATION_RUNS=1000. */
const numRuns = Number(process.env.SLIPWAY_SIMULATION_RUNS ?? 4);
const steps = 200;

test(`I1 to I13 hold in ${numRuns} random histories of what people, servers, processes and networks do`, async () => {
  await fc.assert(
    fc.asyncProperty(histories(steps), async (history) => {
      expect(await brokenBy(history)).toEqual([]);
    }),
    { numRuns, endOnFailure: true },
  );
}, 1_800_000);
