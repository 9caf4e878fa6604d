import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { type Outcome, repository, run } from './slipway.js';

/** What the steps of an action did, and what they wrote into the files of the runner. */
export interface ActionRun {
  readonly outcomes: readonly Outcome[];
  readonly summary: string;
  /** Variables for the steps that follow: `NAME=value` lines. */
  readonly env: string;
  readonly output: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

interface Step {
  readonly run: string;
  readonly shell: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs the steps of a composite action of this repository as a runner does: expressions filled in, the files of the runner at
 * hand.
 * @param file path in the repository, such as `action.yml`
 * @param cwd the workspace
 * @param more environment of the runner
 */
export async function runAction(
  file: string,
  cwd: string,
  inputs: Readonly<Record<string, string>>,
  more: NodeJS.ProcessEnv = {},
): Promise<ActionRun> {
  const path = join(repository, file);
  const { inputs: known, runs } = parse(readFileSync(path, 'utf8')) as Action;
  expect(runs.using).toBe('composite');
  const fill = (text: string) =>
    text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_, expression: string) => {
      if (expression === 'github.action_path') return dirname(path);
      const name = expression.replace('inputs.', '');
      const value = inputs[name] ?? known[name]?.default;
      if (value === undefined) throw new Error(`unknown expression ${expression}`);
      return value;
    });
  const files = mkdtempSync(join(tmpdir(), 'slipway-runner-'));
  const at = (name: string) => join(files, name);
  const read = (name: string) => readFileSync(at(name), 'utf8');
  try {
    for (const name of ['summary', 'env', 'output']) writeFileSync(at(name), '');
    const runner = {
      GITHUB_ACTIONS: 'true',
      GITHUB_STEP_SUMMARY: at('summary'),
      GITHUB_ENV: at('env'),
      GITHUB_OUTPUT: at('output'),
    };
    const outcomes: Outcome[] = [];
    for (const { run: script, shell, env } of runs.steps) {
      expect([shell, script]).toEqual(['bash', expect.not.stringContaining('${{')]);
      const filled = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)]));
      outcomes.push(await run('bash', ['-e', '-c', script], { cwd, env: { ...runner, ...more, ...filled } }));
    }
    return { outcomes, summary: read('summary'), env: read('env'), output: read('output') };
  } finally {
    rmSync(files, { recursive: true });
  }
}
