import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkoutAt } from '../../packages/cli/src/testing/a-checkout.js';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { runAction } from '../support/composite-action.js';
import { run } from '../support/slipway.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const read = (file: string) => parse(readFileSync(join(repository, file), 'utf8'));

/** A git checkout with one proposal. */
async function checkout(): Promise<string> {
  const root = testFolder();
  checkoutAt(root);
  await git(root, 'init', '-q');
  await git(root, 'add', '-A');
  await git(root, '-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'keps: add a proposal');
  return root;
}

async function git(root: string, ...words: string[]): Promise<void> {
  expect(await run('git', words, { cwd: root })).toMatchObject({ code: 0 });
}

function damage(root: string): void {
  const readme = join(root, 'keps/sig-demo/42-demo/README.md');
  const before = readFileSync(readme, 'utf8');
  const after = before.replace('A bell that is too loud wakes the neighbours, so there is a limit.', '');
  expect(after).not.toBe(before);
  writeFileSync(readme, after);
}

const check = (root: string, inputs: Readonly<Record<string, string>>) => runAction('action.yml', root, inputs);

test('the action passes for a good proposal, and says so in its summary', async () => {
  const { outcomes, summary } = await check(await checkout(), {});
  expect(outcomes).toMatchObject([{ code: 0 }]);
  expect(summary).toMatch(/^## Proposals\n\n<!-- slipway-kep-check -->\n\*\*0 errors/);
});

test('the action annotates the lines of what is wrong, fails, and can be told not to', async () => {
  const root = await checkout();
  damage(root);
  const { outcomes, summary } = await check(root, { since: 'HEAD' });
  expect(outcomes[0]?.code).toBe(1);
  expect(outcomes[0]?.stdout).toMatch(/^::error file=keps\/sig-demo\/42-demo\/README\.md,line=\d+.*KEP201/m);
  expect(summary).toContain('KEP201');
  expect((await check(root, { 'fail-on': 'never' })).outcomes).toMatchObject([{ code: 0 }]);
});

test('the hooks of pre-commit pass for a good commit, and fail for one that breaks a proposal', async () => {
  const root = await checkout();
  const hooks = read('.pre-commit-hooks.yaml') as readonly { id: string; entry: string; language: string }[];
  expect(hooks.map(({ id, language }) => [id, language])).toEqual([
    ['slipway-kep-check', 'script'],
    ['slipway-kep-toc', 'script'],
  ]);
  // pre-commit runs a script of the repository that has the hooks, in the repository that is committed to.
  const runHook = ({ entry }: { entry: string }) => {
    const [script = '', ...words] = entry.split(' ');
    return run(join(repository, script), words, { cwd: root });
  };
  for (const hook of hooks) expect(await runHook(hook)).toMatchObject({ code: 0 });
  damage(root);
  await git(root, 'add', '-A');
  const [first] = hooks;
  expect((await runHook(first ?? { entry: '' })).code).toBe(1);
});
