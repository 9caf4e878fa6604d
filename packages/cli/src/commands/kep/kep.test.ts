import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { checkoutAt } from '../../testing/a-checkout.js';
import { recordedRun } from '../../testing/recorded-run.js';
import { testFolder } from '../../testing/test-folder.js';

const fixtures = fileURLToPath(new URL('../../../../kep/testdata/rules/', import.meta.url));

/** A checkout with one proposal; `rule` replaces its files by those of a bad fixture. */
function checkout(rule?: string): string {
  const root = testFolder();
  const kep = checkoutAt(root);
  if (rule) cpSync(`${fixtures}${rule}/bad`, kep, { recursive: true });
  return root;
}

const kep = (...args: string[]) => recordedRun(['kep', ...args]);

test('kep check is content with a good proposal', async () => {
  const done = await kep('check', '--root', checkout(), '--fail-on', 'warn');
  expect(done).toMatchObject({ code: 0, err: '' });
  expect(done.out).toMatch(/^(.*\n)*0 errors, 0 warnings.* of 1 KEP\n$/);
});

test('kep check exits with 1 and says where, what and how to fix it', async () => {
  const done = await kep('check', '--root', checkout('KEP101'));
  expect(done.code).toBe(1);
  expect(done.out).toMatch(
    /README\.md {2}\(target beta, v1\.36\)\n[\s\S]*\d+:\d+ +error +KEP101 +"Risks and Mitigations" is required/,
  );
  expect(done.err).toMatch(/^To fix: slipway kep fix/);
});

test('kep check --output json --output-file --fail-on never writes the file and exits with 0', async () => {
  const root = checkout('KEP202');
  const file = join(root, 'findings.json');
  const done = await kep('check', '--root', root, '--output', 'json', '--output-file', file, '--fail-on', 'never');
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
])('kep check --output %s', async (format, says) => {
  const done = await kep('check', '--root', checkout('KEP202'), '--output', format);
  expect(done.code).toBe(1);
  expect(done.out).toMatch(says);
});

test('kep check --output github writes all findings into the step summary', async () => {
  const root = checkout('KEP202');
  const summary = join(root, 'summary.md');
  vi.stubEnv('GITHUB_STEP_SUMMARY', summary);
  await kep('check', '--root', root, '--output', 'github');
  expect(readFileSync(summary, 'utf8')).toMatch(
    /^## Proposals\n\n<!-- slipway-kep-check -->[\s\S]*\| error \| KEP202 \|/,
  );
  vi.stubEnv('GITHUB_STEP_SUMMARY', join(root, 'gone/summary.md'));
  const done = await kep('check', '--root', root, '--output', 'github');
  expect(done).toMatchObject({ code: 1, err: expect.stringMatching(/^the step summary cannot be written: ENOENT/) });
  vi.unstubAllEnvs();
});

test('kep check --since: the policy, aliases and baseline of that commit count, not those of the branch', async () => {
  const root = checkout('KEP202');
  const git = (...words: string[]) => {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false'];
    execFileSync('git', [...identity, ...words], { cwd: root, stdio: 'ignore' });
  };
  const config = join(root, '.slipway/kep.yaml');
  const readme = join(root, 'keps/sig-demo/42-demo/README.md');
  const aliases = (name: string) => `aliases:\n  sig-demo-leads: [a]\n  prod-readiness-approvers: [${name}]\n`;
  writeFileSync(config, 'template: template.md\npolicy: { unwaivable: [KEP202] }\n');
  writeFileSync(join(root, 'OWNERS_ALIASES'), aliases('prr'));
  git('init', '--initial-branch', 'main');
  git('add', '-A');
  git('commit', '-m', 'policy');
  git('checkout', '-b', 'mine');
  const args = ['check', '--root', root, '--since', 'main', '--output', 'json'];
  const open = async () =>
    JSON.parse((await kep(...args)).out).results.filter(
      ({ severity, waived }: { severity: string; waived: string | null }) => severity === 'error' && waived === null,
    );
  // The branch waives the rule for itself in every way that it has.
  writeFileSync(readme, `<!-- slipway-disable-file KEP202 I may -->\n${readFileSync(readme, 'utf8')}`);
  writeFileSync(join(root, 'OWNERS_ALIASES'), aliases('nobody'));
  writeFileSync(config, 'template: template.md\nrules: { KEP202: off }\nbaseline: known.json\n');
  await kep('check', '--root', root, '--update-baseline');
  git('add', '-A');
  git('commit', '-m', 'mine');
  expect((await open()).map(({ rule }: { rule: string }) => rule)).toEqual(['KEP202']);
  // Once it is merged, it counts.
  git('branch', '-f', 'main', 'mine');
  writeFileSync(readme, `${readFileSync(readme, 'utf8')}\n`);
  git('commit', '-am', 'more');
  expect(await open()).not.toContainEqual(expect.objectContaining({ rule: 'KEP202' }));
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
  [['check', '--root', '/nowhere/at/all'], /not a directory/],
  [['check', '--rule', 'KEP9999'], /no rule is called KEP9999/],
  [['check', '--rule', 'section-misssing'], /did you mean section-missing/],
  [['check', '4711000'], /there is no KEP 4711000/],
  [['check', '--stage', 'gamma'], /gamma is not a stage/],
  [['check', '--fail-on', 'sometimes'], /--fail-on/],
  [['check', '--template', 'nowhere.md'], /template nowhere\.md cannot be read/],
  [['toc', 'nowhere.md'], /there is no nowhere\.md/],
  [['template', 'lint', 'nowhere.md'], /cannot be read/],
  [['new', 'Sig Node/../x'], /is not GROUP\/SLUG/],
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
  const rules = JSON.parse((await kep('check', '77', '--root', root, '--output', 'json', '--fail-on', 'never')).out);
  expect(rules.results.filter(({ rule }: { rule: string }) => /KEP(?:0|4|50)/.test(rule) && rule !== 'KEP503')).toEqual(
    [],
  );
});

test.each([
  ['as it should be', (text: string) => text, ''],
  [
    'with a directive that does not end',
    (text: string) => text.replace('required: true,stage: beta-->', 'required: true,stage: beta>'),
    /^the template template\.md has directives that do not end with "-->" \(line \d+\).*\nTo fix: slipway kep template lint template\.md\n$/,
  ],
])('kep new: a template %s gives a proposal that does not differ from it', async (_, change, says) => {
  const root = checkout();
  writeFileSync(join(root, 'template.md'), change((await kep('template', 'show')).out));
  const begun = await kep('new', 'sig-demo/soft-bells', '--root', root, '--number', '77');
  expect(begun).toMatchObject({ code: 0, err: says === '' ? '' : expect.stringMatching(says) });
  expect(await kep('template', 'diff', '77', '--root', root)).toMatchObject({
    code: 0,
    out: 'nothing differs from template.md\n',
  });
});

test('kep promote refuses what is not ready and says what to do', async () => {
  const root = checkout('KEP203');
  const refused = await kep('promote', '42', '--root', root, '--milestone', 'v1.38');
  expect(refused.code).toBe(1);
  expect(refused.out).toMatch(/README\.md:\d+ KEP203/);
  expect(refused.out).toMatch(/42\.yaml:1 KEP612 stable has no approver/);
  expect(refused.err).toMatch(/not ready for stable: 2 obstacles, 1 sections open\nTo fix: .*--prr-approver/);
  const asked = await kep(
    'promote',
    '42',
    '--root',
    root,
    '--milestone',
    'v1.38',
    '--prr-approver',
    'prr',
    '-o',
    'json',
  );
  expect(JSON.parse(asked.out)).toMatchObject({ written: false, obstacles: [{ rule: 'KEP203' }] });
});

test('kep promote moves metadata, approval, sections and history at once, and keeps the rest', async () => {
  const root = checkout();
  const path = join(root, 'keps/sig-demo/42-demo/kep.yaml');
  writeFileSync(path, `${readFileSync(path, 'utf8')}# the end\n`);
  const args = ['promote', '42', '--root', root, '--milestone', 'v1.38', '--prr-approver', '@prr'];
  const dry = await kep(...args, '--dry-run');
  expect(dry).toMatchObject({ code: 0, err: '' });
  expect(dry.out).toMatch(/^-stage: beta$[\s\S]*^\+stage: stable$/m);
  expect(dry.out).toMatch(/^\+\+\+ b\/keps\/prod-readiness\/sig-demo\/42\.yaml$/m);
  expect(readFileSync(path, 'utf8')).toContain('stage: beta\n');
  expect(await kep(...args)).toMatchObject({ code: 0, err: '' });
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(/^stage: stable$/m);
  expect(text).toMatch(/^latest-milestone: "v1\.38"$/m);
  expect(text).toContain('# the end\n');
  expect(readFileSync(join(root, 'keps/prod-readiness/sig-demo/42.yaml'), 'utf8')).toMatch(
    /stable:\n {2}approver: "@prr"\n$/,
  );
  const readme = readFileSync(join(root, 'keps/sig-demo/42-demo/README.md'), 'utf8');
  expect(readme).toMatch(/- 2026-01-01: beta in v1\.36\n- \d{4}-\d\d-\d\d: stable in v1\.38\n$/);
});

test('kep promote --force writes the sections that the stage asks for', async () => {
  const root = checkout('KEP102');
  const done = await kep('promote', '42', '--root', root, '--milestone', 'v1.38', '--prr-approver', 'prr', '--force');
  expect(done.code).toBe(0);
  const readme = readFileSync(join(root, 'keps/sig-demo/42-demo/README.md'), 'utf8');
  expect(readme).toContain('###### What are the SLIs?\n');
  expect((await kep('toc', '--check', '--root', root)).code).toBe(0);
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
  const done = await kep('template', 'lint', 'builtin:2026.1', '--output', 'json');
  expect(done.code).toBe(0);
  expect(JSON.parse(done.out)).toMatchObject({
    problems: [],
    required: 49,
    byStage: { alpha: 22, beta: 27, stable: 0 },
  });
});

test('kep template diff says what differs, upgrade does away with it, and loses nothing', async () => {
  const root = checkout('KEP101');
  const path = join(root, 'keps/sig-demo/42-demo/README.md');
  const differs = await kep('template', 'diff', '42', '--root', root);
  expect(differs.code).toBe(1);
  expect(differs.out).toMatch(/^insert +"Risks and Mitigations" is new$/m);
  expect(differs.err).toBe('To fix: slipway kep template upgrade 42 --write\n');
  const printed = await kep('template', 'upgrade', '42', '--root', root);
  expect(printed.out).toContain('### Risks and Mitigations\n');
  expect(printed.out).toContain('Bells ring as loud as their owner wants.\n');
  const written = await kep('template', 'upgrade', '42', '--root', root, '--write', '-o', 'json');
  expect(JSON.parse(written.out)).toMatchObject({ version: 1, written: true, text: printed.out });
  expect(readFileSync(path, 'utf8')).toBe(printed.out);
  expect(await kep('template', 'diff', '42', '--root', root)).toMatchObject({
    code: 0,
    out: 'nothing differs from template.md\n',
  });
});

test('kep template upgrade refuses a document that is broken', async () => {
  const refused = await kep('template', 'upgrade', '42', '--root', checkout('KEP009'), '--write');
  expect(refused).toMatchObject({ code: 2, out: '' });
  expect(refused.err).toMatch(/code block of line \d+ never ends\nTo fix: slipway kep check 42/);
});

test('kep template upgrade --no-guidance --to brings the questions of another template without its instructions', async () => {
  const root = checkout();
  const done = await kep('template', 'upgrade', '42', '--root', root, '--to', 'builtin:2026.1', '--no-guidance');
  expect(done.out).toContain('###### What are other known failure modes?\n');
  expect(done.out).not.toContain('For each: how it is noticed');
});

test('kep check --stats says how often each rule found something', async () => {
  const root = checkout('KEP202');
  const done = await kep('check', '--root', root, '--stats', '--fail-on', 'never');
  expect(done.err).toMatch(/^ +1 {2}KEP202 question-unanswered$/m);
});

test('kep check names a production readiness file that belongs to no proposal', async () => {
  const root = checkout();
  writeFileSync(join(root, 'keps/prod-readiness/sig-demo/43.yaml'), 'kep-number: 43\n');
  const done = await kep('check', '--root', root, '--fail-on', 'warn');
  expect(done.code).toBe(1);
  expect(done.out).toMatch(/43\.yaml[^\n]*\n +1:13 +warn +KEP617 +no proposal of this group has number 43/);
  expect((await kep('check', '42', '--root', root)).out).not.toContain('KEP617');
});

test('kep check: the profile of sig-node wants an assigned approver', async () => {
  const root = checkout();
  writeFileSync(join(root, 'keps/sig-demo/42-demo/OWNERS'), 'approvers: [ringer]\n');
  const config = join(root, '.slipway/kep.yaml');
  const args = ['check', '--root', root, '--rule', 'KEP621'];
  expect((await kep(...args)).code).toBe(0);
  writeFileSync(config, 'template: template.md\npolicy: { profiles: [sig-node] }\n');
  expect((await kep(...args)).out).toMatch(/KEP621 +OWNERS lists ringer under approvers/);
  writeFileSync(config, 'policy: { profiles: [sig-nod] }\n');
  expect((await kep(...args)).err).toMatch(/policy\.profiles\[0\]: sig-nod is not known\nTo fix: write sig-node/);
});

test('kep fix writes the production readiness file that is missing, and -o json says what it did', async () => {
  const root = checkout();
  const path = join(root, 'keps/prod-readiness/sig-demo/42.yaml');
  rmSync(join(root, 'keps/prod-readiness'), { recursive: true });
  const done = await kep('fix', '--root', root, '-o', 'json');
  expect(JSON.parse(done.out)).toEqual({
    version: 1,
    written: true,
    files: [{ path: 'keps/prod-readiness/sig-demo/42.yaml', rules: ['KEP611'], findings: 1 }],
  });
  expect(readFileSync(path, 'utf8')).toBe('kep-number: 42\nbeta:\n  approver: "TBD"\n');
  expect((await kep('check', '--root', root)).out).toMatch(/KEP613 +beta names no approver/);
});

test('kep toc --engine github writes the anchors that work there, and -o json tells programs', async () => {
  const root = checkout();
  const file = join(root, 'twice.md');
  writeFileSync(file, '# Bells\n<!-- toc -->\n<!-- /toc -->\n## Bells\n### Größe\n');
  expect((await kep('toc', file)).out).toBe('- [Bells](#bells)\n  - [Größe](#gre)\n');
  expect((await kep('toc', file, '--engine', 'github')).out).toBe('- [Bells](#bells-1)\n  - [Größe](#größe)\n');
  expect((await kep('toc', file, '--max-depth', '2')).out).toBe('- [Bells](#bells)\n');
  const check = await kep('toc', '--check', file, '-o', 'json');
  expect([check.code, JSON.parse(check.out)]).toMatchObject([
    1,
    { checked: 1, stale: [expect.stringMatching(/twice\.md$/)] },
  ]);
  expect((await kep('toc', file, '--max-depth', '9')).code).toBe(2);
});

test('kep new --assign gives a proposal its number wherever it is named', async () => {
  const root = checkout();
  const args = ['--root', root, '--template', 'builtin:2026.1'];
  const begun = await kep('new', 'sig-demo/soft-bells', ...args, '-o', 'json');
  expect(JSON.parse(begun.out)).toMatchObject({ version: 1, number: 'NNNN', written: { length: 2 } });
  const other = join(root, 'keps/sig-demo/42-demo/README.md');
  writeFileSync(other, `${readFileSync(other, 'utf8')}\nSee [soft](../NNNN-soft-bells/README.md).\n`);
  expect(await kep('new', 'sig-demo/soft-bells', ...args, '--assign', '42')).toMatchObject({ code: 1 });
  const done = await kep('new', 'sig-demo/soft-bells', ...args, '--assign', '77');
  expect(done.out.split('\n').sort()).toEqual(
    [
      '',
      'keps/sig-demo/42-demo/README.md',
      'keps/sig-demo/77-soft-bells/README.md',
      'keps/sig-demo/77-soft-bells/kep.yaml',
    ].sort(),
  );
  expect(readFileSync(other, 'utf8')).toContain('(../77-soft-bells/README.md)');
  const check = await kep(
    'check',
    '77',
    ...args,
    '--rule',
    'KEP305',
    '--rule',
    'KEP405',
    '--rule',
    'KEP601',
    '--rule',
    'KEP604',
  );
  expect(check).toMatchObject({ code: 0, err: '' });
  expect((await kep('new', 'sig-demo/other', ...args, '--assign', '78')).code).toBe(2);
});

test.each([['list'], ['status']])('kep %s shows escape sequences of a title as text', async (verb) => {
  const root = checkout();
  const file = join(root, 'keps/sig-demo/42-demo/kep.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^title: .*$/m, 'title: "a\\e]0;owned\\a\\u202Eb"'));
  const { out } = await kep(verb, '--root', root);
  expect(out).toContain('a\\x1b]0;owned\\x07\\u{202e}b');
});
