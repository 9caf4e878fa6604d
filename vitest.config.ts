import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { heapFlags } from './tools/heap-flags.js';
import LongFirst from './tools/long-first.js';
import { propertySeed } from './tools/property-seed.js';

/** `slipway-source` resolves our packages to their TypeScript, so unit tests need no build. */
const ssr = {
  resolve: { conditions: ['slipway-source', 'node', 'import', 'default'], externalConditions: ['slipway-source'] },
};

const seeded = fileURLToPath(new URL('./tools/seeded-fast-check.ts', import.meta.url));

/** Who imports fast-check gets the one that draws from the seed of this run. */
const seededFastCheck = {
  name: 'seeded-fast-check',
  enforce: 'pre' as const,
  resolveId: (id: string, importer?: string) => (id === 'fast-check' && importer !== seeded ? seeded : undefined),
};

/** Keys of packages for tests alone, which e2e tests use besides what is built. */
const builtNowhere = {
  '@slipway/devcluster/issue-certificates': fileURLToPath(
    new URL('./packages/devcluster/cluster/src/issue-certificates.ts', import.meta.url),
  ),
};

export default defineConfig({
  plugins: [seededFastCheck],
  test: {
    env: { SLIPWAY_SEED: String(propertySeed(process.env.SLIPWAY_SEED)) },
    // Tests of whole programs wait half of their time, so that a worker for each core leaves cores idle.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: LongFirst },
    reporters: process.env.SLIPWAY_TEST_VERBOSE
      ? ['verbose', './tools/closing-line.ts']
      : ['default', './tools/closing-line.ts'],
    projects: [
      {
        extends: true,
        ssr,
        resolve: { conditions: ['slipway-source'] },
        test: {
          name: 'unit',
          include: ['packages/{,devcluster/}*/src/**/*.test.ts', 'tools/**/*.test.ts', 'conformance/*.test.ts'],
          // Files share a process: loading our modules anew takes longer than most of them. Who changes it puts it right.
          isolate: false,
          execArgv: heapFlags,
          // The first cluster of a file takes seconds on a busy machine, most of them to load.
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        resolve: { alias: builtNowhere },
        test: {
          name: 'e2e',
          include: ['e2e/scenarios/**/*.test.ts'],
          // What these tests run is built before, and so is what they import.
          server: { deps: { external: [/\/packages\/.*\/dist\//] } },
          // As above, and the process that answers commands stays with them.
          isolate: false,
          execArgv: heapFlags,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
