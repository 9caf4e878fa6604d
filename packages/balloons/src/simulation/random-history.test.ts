import fc from 'fast-check';
import { expect, test } from 'vitest';
import { brokenBy, histories } from './random-history.js';

/** More of them at night. */
const numRuns = Number(process.env.SLIPWAY_SIMULATION_RUNS ?? 120);

test(`I1 to I13 hold in ${numRuns} random histories of what users, kubelets, leaders and networks do`, async () => {
  const lags = fc.constantFrom(0, 100, 400);
  await fc.assert(
    fc.asyncProperty(histories(14), lags, async (history, lagMs) => {
      expect(await brokenBy(history, lagMs)).toEqual([]);
    }),
    { numRuns },
  );
}, 600_000);
