import fc from 'fast-check';
import { expect, test } from 'vitest';
import { brokenBy, clusters, histories } from './random-history.js';

/** More of them at night. */
const numRuns = Number(process.env.SLIPWAY_SIMULATION_RUNS ?? 15);

test.each(Object.entries(clusters))(
  `I1 to I15 hold in ${numRuns} random histories of what users, kubelets, leaders and networks do: %s`,
  async (_mode, options) => {
    const lags = fc.constantFrom(0, 100, 400);
    await fc.assert(
      fc.asyncProperty(histories(14), lags, async (history, lagMs) => {
        expect(await brokenBy(history, lagMs, options)).toEqual([]);
      }),
      { numRuns },
    );
  },
  600_000,
);
