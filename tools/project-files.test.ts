import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix?: { readonly node?: readonly string[] } };
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
  readonly 'timeout-minutes'?: number;
}
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const workflows = readdirSync(`${root}.github/workflows`).map((file): [string, Workflow] => [
  file,
  parse(readFileSync(`${root}.github/workflows/${file}`, 'utf8')),
]);

test.each(workflows)(
  '%s has least rights, an end, pinned actions, and no expression inside of a script',
  (_, workflow) => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    for (const { steps, 'timeout-minutes': minutes } of Object.values(workflow.jobs)) {
      expect(minutes).toBeLessThanOrEqual(90);
      for (const { uses, run } of steps) {
        if (uses !== undefined) expect(uses).toMatch(/^actions\/[\w-]+@v\d+$/);
        else expect(run).not.toContain('${{');
      }
    }
  },
);

test('the tests run as .ci/run does, on every supported Node', () => {
  const [, ci] = workflows.find(([file]) => file === 'ci.yml') ?? [];
  const job = ci?.jobs.test;
  expect(job?.steps.map(({ run }) => run)).toContain('bash .ci/run');
  expect(job?.strategy?.matrix?.node).toEqual(['20.19', '22', '24']);
});

test('every relative link of the documents at the root leads to a file', () => {
  const documents = readdirSync(root).filter((file) => file.endsWith('.md'));
  const broken = documents.flatMap((file) =>
    [...readFileSync(`${root}${file}`, 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !existsSync(`${root}${target}`))
      .map((target) => `${file}: ${target}`),
  );
  expect(broken).toEqual([]);
});
