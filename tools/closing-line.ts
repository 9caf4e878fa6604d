import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { usualSeed } from './property-seed.js';

/**
 * Ends a run with what was skipped and why, the seed if it is not the usual one, then one plain line that scripts read: `N passed, N failed`.
 * With SLIPWAY_REQUIRE_REAL=1 a skipped test is a failed one: CI has everything the tests need.
 */
export default class ClosingLine implements Reporter {
  #seed: string | undefined;

  onInit(vitest: Vitest): void {
    this.#seed = vitest.config.env.SLIPWAY_SEED;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    const skipped = new Map<string, number>();
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'passed') passed += 1;
        if (result.state === 'failed') failed += 1;
        if (result.state === 'skipped') {
          const why = result.note ?? `${module.relativeModuleId}: ${test.fullName}`;
          skipped.set(why, (skipped.get(why) ?? 0) + 1);
        }
      }
    }
    if (skipped.size > 0) {
      const reasons = [...skipped].map(([why, count]) => `${why} (${count})`).join('; ');
      process.stdout.write(`skipped: ${reasons}\n`);
      if (process.env.SLIPWAY_REQUIRE_REAL === '1') {
        failed += [...skipped.values()].reduce((sum, count) => sum + count, 0);
        process.exitCode = 1;
      }
    }
    if (this.#seed !== String(usualSeed)) process.stdout.write(`seed: SLIPWAY_SEED=${this.#seed}\n`);
    process.stdout.write(`${passed} passed, ${failed} failed\n`);
  }
}
