import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { main, type Noun } from '../../runtime/main.js';
import { recordedTerminal } from '../../testing/recorded-terminal.js';

const fixtures = fileURLToPath(new URL('../../../../kep/testdata/rules/', import.meta.url));
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A checkout with one proposal; `rule` replaces its files by those of a bad fixture. */
function checkout(rule?: string): string {
  const root = mkdtempSync(join(tmpdir(), 'slipway-kep-'));
  folders.push(root);
  const kep = join(root, 'keps/sig-demo/42-demo');
  mkdirSync(kep, { recursive: true });
  mkdirSync(join(root, 'keps/prod-readiness/sig-demo'), { recursive: true });
  mkdirSync(join(root, '.slipway'));
  writeFileSync(join(root, '.slipway/kep.yaml'), 'version: 1\ntemplate: template.md\n');
  cpSync(`${fixtures}base/template.md`, join(root, 'template.md'));
  cpSync(`${fixtures}base/README.md`, join(kep, 'README.md'));
  cpSync(`${fixtures}base/kep.yaml`, join(kep, 'kep.yaml'));
  cpSync(`${fixtures}base/approval.yaml`, join(root, 'keps/prod-readiness/sig-demo/42.yaml'));
  if (rule) cpSync(`${fixtures}${rule}/bad`, kep, { recursive: true });
  return root;
}

async function kep(...args: string[]) {
  const { terminal, written } = recordedTerminal();
  const nouns: Noun[] = [{ name: 'kep', summary: 'proposals', load: () => import('./kep.js') }];
  const code = await main(['kep', ...args], nouns, terminal, new AbortController().signal);
  return { code, ...written };
}

test('kep check is content with a good proposal', async () => {
  const done = await kep('check', '--root', checkout(), '--fail-on', 'warn');
  expect(done).toMatchObject({ code: 0, err: '' });
  expect(done.out).toMatch(/^(.*\n)*0 errors, 0 warnings.* of 1 KEP\n$/);
});

test('kep check exits with 1 and says where, what and how to fix it', async () => {
  const done = await kep('check', '--root', checkout('KEP101'));
  expect(done.code).toBe(1);
  expect(done.out).toMatch(
    /README\.md {2}\(target beta, v1\.36\)\n[\s\S]*\d+:\d+ +error +KEP101 +"Risks and Mitigations" is asked for/,
  );
  expect(done.err).toMatch(/^To fix: slipway kep fix/);
});

test('kep check --format json --output --fail-on never writes the file and exits with 0', async () => {
  const root = checkout('KEP202');
  const file = join(root, 'findings.json');
  const done = await kep('check', '--root', root, '--format', 'json', '--output', file, '--fail-on', 'never');
  expect(done).toMatchObject({ code: 0, out: '' });
  const report = JSON.parse(readFileSync(file, 'utf8'));
  expect(report).toMatchObject({ version: 1, stats: { keps: 1, errors: 1 } });
  expect(report.results).toContainEqual(
    expect.objectContaining({
      rule: 'KEP202',
      severity: 'error',
      path: 'keps/sig-demo/42-demo/README.md',
      span: expect.anything(),
    }),
  );
});

test.each([
  ['sarif', /"version": "2\.1\.0"[\s\S]*"ruleId": "KEP202"/],
  ['github', /^::error file=keps\/sig-demo\/42-demo\/README\.md,line=\d+,endLine=\d+,col=1,title=KEP202::/m],
  ['markdown', /^<!-- slipway-kep-check -->[\s\S]*\| error \| KEP202 \|/],
])('kep check --format %s', async (format, says) => {
  const done = await kep('check', '--root', checkout('KEP202'), '--format', format);
  expect(done.code).toBe(1);
  expect(done.out).toMatch(says);
});

test('kep check: a baseline hides what is known until the stage moves', async () => {
  const root = checkout('KEP202');
  const known = ['check', '--root', root, '--baseline', 'known.json'];
  expect((await kep(...known, '--update-baseline')).code).toBe(0);
  const hidden = await kep(...known);
  expect(hidden).toMatchObject({ code: 0 });
  expect(hidden.out).toMatch(/\d baselined/);
  const path = join(root, 'keps/sig-demo/42-demo/kep.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').replace('latest-milestone: "v1.36"', 'latest-milestone: "v1.37"'));
  expect((await kep(...known)).code).toBe(1);
});

test.each([
  [['check', '--root', '/nowhere/at/all'], /no folder/],
  [['check', '--rule', 'KEP9999'], /no rule is called KEP9999/],
  [['check', '--rule', 'section-misssing'], /did you mean section-missing/],
  [['check', '4711000'], /there is no KEP 4711000/],
  [['check', '--stage', 'gamma'], /no stage/],
  [['check', '--fail-on', 'sometimes'], /--fail-on/],
  [['check', '--template', 'nowhere.md'], /template nowhere\.md cannot be read/],
  [['toc', 'nowhere.md'], /there is no nowhere\.md/],
  [['template', 'lint', 'nowhere.md'], /cannot be read/],
  [['new', 'Sig Node/../x'], /no group\/slug/],
])('kep %j is wrong usage', async (args, says) => {
  const root = checkout();
  const done = await kep(...args, ...(args.includes('--root') || args[0] === 'template' ? [] : ['--root', root]));
  expect(done.code).toBe(2);
  expect(done.err).toMatch(says);
  expect(done.err).toContain('To fix:');
});

test('kep check takes a Markdown file without metadata for a proposal at alpha', async () => {
  const root = checkout();
  const file = join(root, 'idea.md');
  writeFileSync(file, '# KEP-1: Idea\n\n## Summary\n\nBells.\n');
  const done = await kep('check', file, '--root', root);
  expect(done.code).toBe(1);
  expect(done.out).toMatch(/^idea\.md {2}\(target alpha\)\n/);
  expect(done.out).not.toMatch(/KEP[56]/);
});

test('kep check names a misspelt setting', async () => {
  const root = checkout();
  writeFileSync(join(root, '.slipway/kep.yaml'), 'polcy: {}\n');
  const done = await kep('check', '--root', root);
  expect(done.code).toBe(2);
  expect(done.err).toMatch(/unknown setting polcy\nTo fix: did you mean policy\?/);
});

test('kep fix corrects, and the second time there is nothing to do', async () => {
  const root = checkout('KEP402');
  const check = await kep('fix', '--check', '--root', root);
  expect(check.code).toBe(1);
  const done = await kep('fix', '--root', root);
  expect(done).toMatchObject({ code: 0 });
  expect(done.out).toMatch(/README\.md: KEP402/);
  expect(await kep('fix', '--check', '--root', root)).toMatchObject({ code: 0, out: '' });
  expect((await kep('toc', '--check', '--root', root)).code).toBe(0);
});

test('kep toc --check says which tables are not current, and --write makes them so', async () => {
  const root = checkout('KEP402');
  const stale = await kep('toc', '--check', '--root', root);
  expect(stale.code).toBe(1);
  expect(stale.out).toBe('keps/sig-demo/42-demo/README.md: not current\n');
  expect((await kep('toc', '--write', '--root', root)).code).toBe(0);
  expect(await kep('toc', '--check', '--root', root)).toMatchObject({ code: 0, out: '' });
});

test('kep fix and toc never write through a link', async () => {
  const root = checkout('KEP402');
  const outside = join(root, 'outside.md');
  const link = join(root, 'keps/sig-demo/42-demo/README.md');
  cpSync(link, outside);
  rmSync(link);
  symlinkSync(outside, link);
  const before = readFileSync(outside, 'utf8');
  await kep('fix', '--root', root);
  await kep('toc', '--write', '--root', root);
  expect(readFileSync(outside, 'utf8')).toBe(before);
});

test('kep new begins a proposal that its own check can read', async () => {
  const root = checkout();
  const args = [
    '--root',
    root,
    '--template',
    'builtin:2026.1',
    '--number',
    '77',
    '--author',
    'me',
    '--gate',
    'SoftBells:kubelet',
  ];
  const done = await kep('new', 'sig-demo/soft-bells', ...args);
  expect(done.code).toBe(0);
  const folder = join(root, 'keps/sig-demo/77-soft-bells');
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toMatch(/^# KEP-77: Soft bells$/m);
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toMatch(
    /- \[x\] Feature gate[^\n]*\n {2}- Feature gate name: `SoftBells`/,
  );
  expect((await kep('new', 'sig-demo/soft-bells', ...args)).code).toBe(1);
  const rules = JSON.parse((await kep('check', '77', '--root', root, '--format', 'json', '--fail-on', 'never')).out);
  expect(rules.results.filter(({ rule }: { rule: string }) => /KEP(?:0|4|50)/.test(rule) && rule !== 'KEP503')).toEqual(
    [],
  );
});

test('kep promote moves the stage, keeps comments, and refuses what is not ready', async () => {
  const root = checkout('KEP203');
  const path = join(root, 'keps/sig-demo/42-demo/kep.yaml');
  writeFileSync(path, `${readFileSync(path, 'utf8')}# the end\n`);
  const refused = await kep('promote', '42', '--root', root, '--milestone', 'v1.38');
  expect(refused.code).toBe(1);
  expect(refused.err).toMatch(/not ready for stable: 1 errors/);
  expect((await kep('promote', '42', '--root', root, '--milestone', 'v1.38', '--force')).code).toBe(0);
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(/^stage: stable$/m);
  expect(text).toMatch(/^latest-milestone: "v1\.38"$/m);
  expect(text).toMatch(/^ {2}stable: "v1\.38"$/m);
  expect(text).toContain('# the end\n');
});

test('kep list, show and status tell where proposals stand', async () => {
  const root = checkout();
  expect((await kep('list', '--root', root, '--gate', 'LouderBells')).out).toMatch(
    /42 +sig-demo +implementable +beta +v1\.36 +Louder bells/,
  );
  expect((await kep('list', '--root', root, '--stage', 'alpha', '-o', 'name')).out).toBe('');
  expect((await kep('show', '42', '--root', root)).out).toMatch(/11\/11 answered for beta/);
  expect((await kep('status', '--root', root, '--milestone', 'v1.36')).out).toMatch(
    /42 +sig-demo +beta +v1\.36 +11\/11 +yes +0 +tracked/,
  );
});

test('kep template lint finds nothing wrong with the template that comes with slipway', async () => {
  const done = await kep('template', 'lint', 'builtin:2026.1', '--format', 'json');
  expect(done.code).toBe(0);
  expect(JSON.parse(done.out)).toMatchObject({
    problems: [],
    required: 49,
    byStage: { alpha: 22, beta: 27, stable: 0 },
  });
});
