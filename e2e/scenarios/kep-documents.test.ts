import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { run, slipway } from '../support/slipway.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const corpus = join(repository, '../shared/corpus');
const folders: string[] = [];
const folder = () => {
  const made = mkdtempSync(join(tmpdir(), 'slipway-kep-'));
  folders.push(made);
  return made;
};
afterEach(() => {
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
});

test('our own proposals pass their own check, and their tables of contents are current', async () => {
  expect(await slipway(['kep', 'check', '--root', repository])).toMatchObject({ code: 0 });
  expect(await slipway(['kep', 'toc', '--check', '--root', repository])).toMatchObject({ code: 0, stdout: '' });
});

test('real proposals: a report of all, and tables of contents as their own generator wrote them', async (ctx) => {
  if (!existsSync(corpus)) ctx.skip('needs ../shared/corpus');
  const file = join(folder(), 'findings.json');
  const done = await slipway([
    'kep',
    'check',
    '--root',
    corpus,
    '--format',
    'json',
    '--output',
    file,
    '--fail-on',
    'never',
  ]);
  expect(done).toMatchObject({ code: 0, stdout: '' });
  const report = JSON.parse(readFileSync(file, 'utf8'));
  expect(report.stats.keps).toBeGreaterThan(200);
  expect(report.results.length).toBeGreaterThan(1_000);
  expect(await slipway(['kep', 'toc', '--check', '--root', corpus])).toMatchObject({ code: 0, stdout: '' });
});

test('an author begins a proposal, sees what is open, and a reviewer sees only what changed', async () => {
  const root = folder();
  mkdirSync(join(root, 'keps'));
  const git = (...args: string[]) => run('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  await git('init', '-q');
  await slipway(['kep', 'new', 'sig-node/first', '--number', '1', '--root', root]);
  await git('add', '.');
  await git('commit', '-q', '-m', 'first');
  const begun = await slipway(['kep', 'new', 'sig-node/second', '--number', '2', '--author', 'me', '--root', root]);
  expect(begun.stdout.split('\n')).toHaveLength(3);
  const changed = await slipway([
    'kep',
    'check',
    '--since',
    'HEAD',
    '--root',
    root,
    '--format',
    'json',
    '--fail-on',
    'never',
  ]);
  expect(JSON.parse(changed.stdout).stats.keps).toBe(1);
  expect((await slipway(['kep', 'show', '2', '--stage', 'alpha', '--root', root])).stdout).toMatch(
    /\d+\/22 answered for alpha/,
  );
  const unknown = await slipway(['kep', 'check', '--since', 'nowhere', '--root', root]);
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toMatch(/To fix: .*fetch-depth: 0/);
});

// what is wrong with a proposal | its README | its kep.yaml
const bad: [string, string | Buffer, string][] = [
  ['2 MiB of brackets', '['.repeat(2_000_000), 'title: x\n'],
  ['more than 2 MiB', 'a'.repeat(3_000_000), 'title: x\n'],
  ['2 MiB of comments that never end', '<!-- x\n'.repeat(290_000), 'title: x\n'],
  ['2 MiB of headings', '# a\n'.repeat(500_000), 'title: x\n'],
  ['2 MiB of bold that never ends', '* **a\n'.repeat(330_000), 'title: x\n'],
  ['2 MiB of fields', '- [x] Metric name: a_b_c\n'.repeat(80_000), 'title: x\n'],
  ['2 MiB of invisible characters', '\u200b'.repeat(690_000), 'title: x\n'],
  ['NULs', '\0'.repeat(1_000_000), 'title: x\n'],
  ['bytes that are no UTF-8', Buffer.alloc(100_000, 0xe9), 'title: x\n'],
  ['UTF-16', Buffer.from('\ufeff# KEP-1: x\n', 'utf16le'), 'title: x\n'],
  ['metadata 60,000 levels deep', '# KEP-1: x\n', '['.repeat(60_000)],
  [
    'metadata with aliases that multiply',
    '# KEP-1: x\n',
    `a0: &a0 [x]\n${Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]\n`).join('')}`,
  ],
];

test.each(bad)('a proposal with %s is read or refused within 10 s and 512 MB', async (_, readme, yaml) => {
  const root = folder();
  const at = join(root, 'keps/sig-node/1-x');
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, 'README.md'), readme);
  writeFileSync(join(at, 'kep.yaml'), yaml);
  for (const verb of [
    ['check', '--fail-on', 'never'],
    ['fix', '--check'],
  ]) {
    const done = await slipway(['kep', ...verb, '--root', root], {
      timeoutMs: 10_000,
      env: { NODE_OPTIONS: '--max-old-space-size=512' },
    });
    expect([verb[0], [0, 1].includes(done.code ?? -1), done.stderr]).toEqual([
      verb[0],
      true,
      expect.not.stringMatching(/unexpected/),
    ]);
  }
});

test('fixing a copy of real proposals twice changes nothing the second time', async (ctx) => {
  if (!existsSync(corpus)) ctx.skip('needs ../shared/corpus');
  const root = folder();
  mkdirSync(join(root, 'keps'));
  cpSync(join(corpus, 'keps/sig-etcd'), join(root, 'keps/sig-etcd'), { recursive: true });
  expect((await slipway(['kep', 'fix', '--root', root])).code).toBe(0);
  expect(await slipway(['kep', 'fix', '--check', '--root', root])).toMatchObject({ code: 0, stdout: '' });
});
