import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { usualSeed } from './property-seed.js';
import { partOf } from './real-parts.js';

/** What a run leaves for `tools/try-again.mjs`. */
export const outcomeFile = fileURLToPath(new URL('../node_modules/.test-outcome.json', import.meta.url));

/** Counts of a finished run, and what it left out. */
export interface RunOutcome {
  readonly passed: number;
  /** Failed tests as `FILE: NAME`; a file that could not be run has no name. */
  readonly failed: readonly string[];
  /** Errors outside all files. */
  readonly uncaught: number;
  /** Number of skipped tests by the note that says why. */
  readonly skipped: ReadonlyMap<string, number>;
}

/** What `tools/try-again.mjs` goes by: the first run's counts and lines, as JSON. */
export interface FirstRun {
  readonly passed: number;
  readonly failed: readonly string[];
  /** Failures that no second try can mend: a part that is required and missing, an error outside all files. */
  readonly lost: number;
  /** The lines on skipped tests. */
  readonly skips: readonly string[];
}

/**
 * Ends a run with one line per reason for skipped tests, the seed if it is not the usual one, then one plain line that
 * scripts read: `N passed, N failed`. With SLIPWAY_FIRST_RUN, a file that an earlier run left, the tests that failed in
 * it count as this run found them, and those that passed now are named.
 */
export default class ClosingLine implements Reporter {
  #seed: string | undefined;

  onInit(vitest: Vitest): void {
    this.#seed = vitest.config.env.SLIPWAY_SEED;
    rmSync(outcomeFile, { force: true });
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const outcome = outcomeOf(modules, errors.length);
    const { SLIPWAY_FIRST_RUN: first, SLIPWAY_REQUIRE_REAL: required } = process.env;
    const run = first
      ? secondRun(JSON.parse(readFileSync(first, 'utf8')), outcome)
      : firstRun(outcome, required === '1');
    if (!first) writeFileSync(outcomeFile, JSON.stringify(run));
    const failures = run.failed.length + run.lost;
    if (failures > 0) process.exitCode = 1;
    const lines = [...run.skips];
    if (this.#seed !== String(usualSeed)) lines.push(`seed: SLIPWAY_SEED=${this.#seed}`);
    lines.push(`${run.passed} passed, ${failures} failed`);
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  }
}

/** With `requireReal` every skipped test counts as failed, except where it needs a part that is optional. */
export function firstRun({ passed, failed, uncaught, skipped }: RunOutcome, requireReal: boolean): FirstRun {
  let lost = uncaught;
  const skips = [...skipped].map(([note, count]) => {
    const part = partOf(note);
    if (requireReal && !part?.optional) lost += count;
    return `skipped ${count}: ${note}${part ? `. To run: ${part.wayOut}` : ''}`;
  });
  return { passed, failed, lost, skips };
}

/** Counts the failed tests of `first` as `again` found them: what did not fail in it has passed. */
export function secondRun(first: FirstRun, again: RunOutcome): FirstRun {
  const failed = new Set(again.failed);
  const mended = first.failed.filter((name) => !failed.has(name));
  return {
    passed: first.passed + mended.length,
    failed: again.failed,
    lost: first.lost + again.uncaught,
    skips: [...mended.map((name) => `passed when tried again: ${name}`), ...first.skips],
  };
}

function outcomeOf(modules: readonly TestModule[], uncaught: number): RunOutcome {
  let passed = 0;
  const failed: string[] = [];
  const skipped = new Map<string, number>();
  for (const module of modules) {
    if (module.errors().length > 0) failed.push(`${module.relativeModuleId}: `);
    for (const test of module.children.allTests()) {
      const { state, note } = { note: undefined, ...test.result() };
      const name = `${module.relativeModuleId}: ${test.fullName}`;
      if (state === 'passed') passed += 1;
      if (state === 'failed') failed.push(name);
      if (state === 'skipped') skipped.set(note ?? name, (skipped.get(note ?? name) ?? 0) + 1);
    }
  }
  return { passed, failed, uncaught, skipped };
}
