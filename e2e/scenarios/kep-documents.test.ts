import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkoutAt } from '../../packages/cli/src/testing/a-checkout.js';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { needs } from '../../tools/real-parts.js';
import { run, slipway, slipwayProgram } from '../support/slipway.js';

const repository = fileURLToPath(new URL('../../', import.meta.url));
const corpus = process.env.SLIPWAY_KEP_CORPUS ?? '';

test('our own proposals pass their own check, and their tables of contents are current', async () => {
  expect(await slipway(['kep', 'check', '--root', repository])).toMatchObject({ code: 0 });
  expect(await slipway(['kep', 'toc', '--check', '--root', repository])).toMatchObject({ code: 0, stdout: '' });
});

test('real proposals: a report of all, and tables of contents as their own generator wrote them', async (ctx) => {
  needs(ctx, 'proposals of Kubernetes');
  const file = join(testFolder(), 'findings.json');
  const done = await slipway([
    'kep',
    'check',
    '--root',
    corpus,
    '--output',
    'json',
    '--output-file',
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
  const root = testFolder();
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
    '--output',
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

test('a reviewer is told that approved answers changed, and a hook checks what is about to be committed', async () => {
  const root = testFolder();
  const at = checkoutAt(root);
  const git = (...args: string[]) => run('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);
  await git('init', '-q');
  await git('add', '.');
  await git('commit', '-q', '-m', 'first');
  const readme = join(at, 'README.md');
  writeFileSync(readme, readFileSync(readme, 'utf8').replace('Bells are as loud as before.', 'Bells fall silent.'));
  const since = await slipway(['kep', 'check', '--since', 'HEAD', '--root', root]);
  expect(since.stdout).toMatch(/KEP619 +answers changed after beta was approved: "Can the feature be disabled/);
  expect((await slipway(['kep', 'check', '--staged', '--root', root])).stdout).toMatch(/ of 0 KEPs\n$/);
  await git('add', '.');
  expect((await slipway(['kep', 'check', '--staged', '--root', root])).stdout).toMatch(/ of 1 KEP\n$/);
  const staged = async () => (await slipway(['kep', 'check', '--staged', '--root', root])).stdout;
  const whole = readFileSync(readme, 'utf8');
  writeFileSync(readme, '# KEP-42: Louder bells\n');
  expect(await staged()).not.toContain('KEP101');
  await git('add', '.');
  writeFileSync(readme, whole);
  expect(await staged()).toContain('KEP101');
  const elsewhere = await slipway(['kep', 'check', '--staged', '--root', testFolder()]);
  expect([elsewhere.code, elsewhere.stderr]).toEqual([
    2,
    expect.stringMatching(/To fix: leave --since and --staged out/),
  ]);
});

test('an editor pipes a text through the check, and a file that cannot be read is not called good', async (ctx) => {
  const root = testFolder();
  const at = checkoutAt(root);
  const idea = await slipway(['kep', 'check', '-', '--stdin-filename', 'idea.md', '--root', root], {
    stdin: '# KEP-1: Idea\n\n## Summary\n\nBells.\n',
  });
  expect(idea.code).toBe(1);
  expect(idea.stdout).toMatch(/^idea\.md {2}\(target alpha\)\n/);
  const readme = readFileSync(join(at, 'README.md'), 'utf8');
  const asReadme = await slipway(['kep', 'check', '-', '--stdin-filename', join(at, 'README.md'), '--root', root], {
    stdin: readme.replace('A bell that is too loud wakes the neighbours, so there is a limit.', ''),
  });
  expect(asReadme.stdout).toMatch(/42-demo\/README\.md {2}\(target beta, v1\.36\)[\s\S]*KEP201/);

  chmodSync(join(at, 'README.md'), 0);
  chmodSync(root, 0o755);
  const unprivileged = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, slipwayProgram];
  needs(ctx, 'another user');
  const isRoot = process.getuid?.() === 0;
  const words = ['kep', 'check', '--root', root];
  const done = isRoot ? await run('setpriv', [...unprivileged, ...words]) : await slipway(words);
  expect(done.code).toBe(3);
  expect(done.stdout).toMatch(/KEP390 +cannot be read: EACCES/);
  expect(done.stderr).toMatch(/^To fix: make the files readable/);
});

test('the hook of the examples lets good proposals in, and no others', async () => {
  const root = testFolder();
  const at = checkoutAt(root);
  const programs = testFolder();
  writeFileSync(join(programs, 'slipway'), `#!/bin/sh\nexec ${process.execPath} ${slipwayProgram} "$@"\n`, {
    mode: 0o755,
  });
  const env = { PATH: `${programs}:${process.env.PATH}` };
  const git = (...args: string[]) =>
    run('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { env, cwd: root });
  await git('init', '-q');
  cpSync(join(repository, 'examples/kep-checks/pre-commit'), join(root, '.git/hooks/pre-commit'));
  chmodSync(join(root, '.git/hooks/pre-commit'), 0o755);
  await git('add', '.');
  expect((await git('commit', '-q', '-m', 'good')).code).toBe(0);
  const readme = join(at, 'README.md');
  writeFileSync(
    readme,
    readFileSync(readme, 'utf8').replace('Every bell has a volume.', '<!-- Every bell has a volume.'),
  );
  await git('add', '.');
  const refused = await git('commit', '-q', '-m', 'bad');
  expect([refused.code, refused.stdout + refused.stderr]).toEqual([1, expect.stringMatching(/KEP008/)]);
});

test('the patch that promote prints is what it does', async () => {
  const root = testFolder();
  const at = checkoutAt(root);
  const words = ['kep', 'promote', '42', '--root', root, '--milestone', 'v1.38', '--prr-approver', '@prr'];
  const { code, stdout: patch } = await slipway([...words, '--dry-run']);
  expect(code).toBe(0);
  const copy = testFolder();
  cpSync(root, copy, { recursive: true });
  await run('git', ['-C', copy, 'init', '-q']);
  expect(await run('git', ['-C', copy, 'apply', '-'], { stdin: patch })).toMatchObject({ code: 0, stderr: '' });
  expect((await slipway(words)).code).toBe(0);
  for (const name of ['README.md', 'kep.yaml']) {
    const path = join(at, name);
    expect(readFileSync(path.replace(root, copy), 'utf8')).toBe(readFileSync(path, 'utf8'));
  }
});

test('a proposal is moved to the template of today, and keeps what its author wrote', async (ctx) => {
  needs(ctx, 'proposals of Kubernetes');
  const root = testFolder();
  const at = join(root, 'keps/sig-node/2727-grpc-probe');
  cpSync(join(corpus, 'keps/sig-node/2727-grpc-probe'), at, { recursive: true });
  const before = readFileSync(join(at, 'README.md'), 'utf8');
  expect((await slipway(['kep', 'template', 'diff', '2727', '--root', root])).code).toBe(1);
  expect((await slipway(['kep', 'template', 'upgrade', '2727', '--root', root, '--write'])).code).toBe(0);
  expect(await slipway(['kep', 'template', 'diff', '2727', '--root', root])).toMatchObject({ code: 0, stderr: '' });
  const after = new Set(readFileSync(join(at, 'README.md'), 'utf8').split('\n'));
  // Instructions of templates are comments; the table of contents and levels of headings may change.
  const lines = before.replace(/<!--[\s\S]*?-->/g, '').split('\n');
  expect(lines.filter((line) => !after.has(line) && !/^(?:#|\s*- \[.*\]\(#)/.test(line))).toEqual([]);
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
  ['2 MiB of code blocks that never end', '```\n'.repeat(500_000), 'title: x\n'],
  ['2 MiB of suppressions', '<!-- slipway-disable KEP306 -->\n'.repeat(60_000), 'title: x\n'],
  ['a million quotes in each other', '> '.repeat(1_000_000), 'title: x\n'],
  ['a million lists in each other', '- '.repeat(1_000_000), 'title: x\n'],
  ['a line of 200,000 marks', `# T\n\n${'#[`'.repeat(70_000)}\n`, 'title: x\n'],
  ['line ends of all kinds', '# KEP-1: x\r\n\r## A\n\rb\r\n', 'title: x\r\nstage: alpha\r'],
  ['letters read in the wrong encoding', '# KEP-1: x\n\na\u00e2\u20ac\u201db\n', 'title: x\n'],
  ['a copied web page', `${Array.from({ length: 900 }, (_, line) => line + 1).join('\n')}\n# KEP-1: x\n`, 'title: x\n'],
  ['directives that end badly', '# T\n<!--DIRECTIVE: required: true>\n## A\n<!--DIRECTIVE: stage--!>\n', 'title: x\n'],
  ['a comment within a comment', '# T\n<!-- a <!-- b --> c -->\n', 'title: x\n'],
  ['metadata in its text', '---\ntitle: x\nstage: alpha\n---\n# KEP-1: x\n', 'title: x\n'],
  ['letters that move the cursor', '# KEP-1: \u001b[2J\u0007x\n\n## \u202eA\n', 'title: "\\x1b[31m"\nstatus: \u0007\n'],
  ['two documents of metadata', '# KEP-1: x\n', 'title: x\n---\ntitle: y\n'],
  [
    'metadata with tags, tabs and a key twice',
    '# KEP-1: x\n',
    'title: !!js/function x\ntitle: y\n\tstage: alpha\n<<: *a\n',
  ],
  ['no text at all', '', ''],
  ['metadata 60,000 levels deep', '# KEP-1: x\n', '['.repeat(60_000)],
  [
    'metadata with aliases that multiply',
    '# KEP-1: x\n',
    `a0: &a0 [x]\n${Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]\n`).join('')}`,
  ],
];

/** A tenth of it is enough on a quiet machine; what takes longer on a busy one hangs. */
const hangsMs = 60_000;

test.each(bad)('a proposal with %s is read or refused, in 512 MB and some time', async (_, readme, yaml) => {
  const root = testFolder();
  const at = join(root, 'keps/sig-node/1-x');
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, 'README.md'), readme);
  writeFileSync(join(at, 'kep.yaml'), yaml);
  for (const verb of [
    ['check', '--fail-on', 'never'],
    ['fix', '--check'],
  ]) {
    const done = await slipway(['kep', ...verb, '--root', root], {
      timeoutMs: hangsMs,
      env: { NODE_OPTIONS: '--max-old-space-size=512' },
    });
    expect([verb[0], [0, 1].includes(done.code ?? -1), done.stderr]).toEqual([
      verb[0],
      true,
      expect.not.stringMatching(/unexpected/),
    ]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a document must not move the cursor of its reader.
    expect(done.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  }
});

test('links, pipes, loops and odd names among the proposals are left alone', async () => {
  const root = testFolder();
  const at = checkoutAt(root);
  const keps = join(root, 'keps/sig-demo');
  const outside = join(testFolder(), 'secret.md');
  writeFileSync(outside, '# KEP-1: secret\n');
  mkdirSync(join(keps, '7-link'));
  symlinkSync(outside, join(keps, '7-link/README.md'));
  writeFileSync(join(keps, '7-link/kep.yaml'), 'title: x\n');
  symlinkSync(keps, join(keps, '8-loop'));
  mkdirSync(join(keps, '9-pipe'));
  await run('mkfifo', [join(keps, '9-pipe/README.md')]);
  writeFileSync(join(keps, '9-pipe/kep.yaml'), 'title: x\n');
  const odd = join(keps, `10-\n::error::${'x'.repeat(180)}`);
  mkdirSync(odd);
  writeFileSync(join(odd, 'README.md'), '# KEP-10: x\n');
  mkdirSync(join(keps, '11-empty'));
  writeFileSync(join(keps, '11-empty/kep.yaml'), 'title: x\n');
  const done = await slipway(['kep', 'check', '--root', root, '--output', 'github'], { timeoutMs: 10_000 });
  expect(done.code).toBe(1);
  expect(done.stdout).not.toMatch(/secret|8-loop|^::error::x/m);
  expect(done.stdout).toMatch(/11-empty\/README\.md,.*KEP111/);
  expect((await slipway(['kep', 'fix', '--root', root, '--unsafe'], { timeoutMs: 10_000 })).code).toBe(0);
  expect(readFileSync(outside, 'utf8')).toBe('# KEP-1: secret\n');
  expect((await slipway(['kep', 'check', join(at, 'README.md'), '--rule', 'KEP108'])).code).toBe(0);
  for (const name of ['sig-demo/../../x', `sig-demo/${'x'.repeat(300)}`, 'sig-demo/größe', 'sig-demo/a\nb'])
    expect([name, (await slipway(['kep', 'new', name, '--root', root])).code]).toEqual([name, 2]);
});

test('fixing a copy of real proposals twice changes nothing the second time', async (ctx) => {
  needs(ctx, 'proposals of Kubernetes');
  const root = testFolder();
  mkdirSync(join(root, 'keps'));
  cpSync(join(corpus, 'keps/sig-etcd'), join(root, 'keps/sig-etcd'), { recursive: true });
  expect((await slipway(['kep', 'fix', '--root', root])).code).toBe(0);
  expect(await slipway(['kep', 'fix', '--check', '--root', root])).toMatchObject({ code: 0, stdout: '' });
});

test('an odd folder, a missing one and an option before a target are told apart', async () => {
  const root = testFolder();
  const at = checkoutAt(root);
  const metadata = readFileSync(join(at, 'kep.yaml'), 'utf8');
  writeFileSync(
    join(at, 'kep.yaml'),
    `${metadata}see-also:\n  - /keps/sig-demo/42-demo/README.md\n  - /keps/sig-demo/42-demo/README.md/x\n`,
  );
  const odd = await slipway(['kep', 'check', '--root', root, '--rule', 'KEP530', '--rule', 'ref-path', '42']);
  expect(odd).toMatchObject({
    stdout: expect.stringContaining('there is no keps/sig-demo/42-demo/README.md/x'),
    stderr: expect.not.stringContaining('bug'),
  });
  const none = await slipway(['kep', 'check', '--root', testFolder()]);
  expect(none).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/there is no proposal below .*\nTo fix: name a checkout/),
  });
  const device = await slipway(['kep', 'check', '--root', root, '--output-file', '/dev/null', '--fail-on', 'never']);
  expect(device.code).toBe(0);
  const nowhere = await slipway(['kep', 'check', '--root', root, '--output-file', join(root, 'no/such/file')]);
  expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('--output-file: ') });
  writeFileSync(join(root, 'OWNERS_ALIASES'), 'aliases:\n  sig-demo-leads: [one]\n');
  const group = await slipway(['kep', 'new', '--root', root, '--author', '@you', 'sig-dmo/louder']);
  expect(group).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no group sig-dmo') });
});
