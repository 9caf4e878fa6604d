import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { usualSeed } from './property-seed.js';
import { partOf } from './real-parts.js';

/** Counts of a finished run, and the skipped tests by the note that says why. */
export interface RunOutcome {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: ReadonlyMap<string, number>;
  /** Full names of tests that passed only when they were tried again. */
  readonly flaky: readonly string[];
}

/**
 * Ends a run with the tests that passed only when tried again, one line per reason for skipped tests, the seed if it is not the usual one, then one plain line that
 * scripts read: `N passed, N failed`.
 */
export default class ClosingLine implements Reporter {
  #seed: string | undefined;

  onInit(vitest: Vitest): void {
    this.#seed = vitest.config.env.SLIPWAY_SEED;
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const requireReal = process.env.SLIPWAY_REQUIRE_REAL === '1';
    const { lines, failed } = closingLines(outcomeOf(modules, errors.length), requireReal);
    if (failed > 0) process.exitCode = 1;
    if (this.#seed !== String(usualSeed)) lines.splice(-1, 0, `seed: SLIPWAY_SEED=${this.#seed}`);
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  }
}

/**
 * Formats the end of a run. With `requireReal` every skipped test counts as failed, except where it needs a part that is optional.
 */
export function closingLines(
  { passed, failed, skipped, flaky }: RunOutcome,
  requireReal: boolean,
): { lines: string[]; failed: number } {
  let failures = failed;
  const skips = [...skipped].map(([note, count]) => {
    const part = partOf(note);
    if (requireReal && !part?.optional) failures += count;
    return `skipped ${count}: ${note}${part ? `. To run: ${part.wayOut}` : ''}`;
  });
  const again = flaky.map((name) => `passed when tried again: ${name}`);
  return { lines: [...again, ...skips, `${passed} passed, ${failures} failed`], failed: failures };
}

function outcomeOf(modules: readonly TestModule[], uncaught: number): RunOutcome {
  let passed = 0;
  let failed = uncaught;
  const skipped = new Map<string, number>();
  const flaky: string[] = [];
  for (const module of modules) {
    failed += module.errors().length;
    for (const test of module.children.allTests()) {
      const result = test.result();
      if (result.state === 'passed') passed += 1;
      if (result.state === 'failed') failed += 1;
      if (test.diagnostic()?.flaky) flaky.push(`${module.relativeModuleId}: ${test.fullName}`);
      if (result.state === 'skipped') {
        const note = result.note ?? `${module.relativeModuleId}: ${test.fullName}`;
        skipped.set(note, (skipped.get(note) ?? 0) + 1);
      }
    }
  }
  return { passed, failed, skipped, flaky };
}
