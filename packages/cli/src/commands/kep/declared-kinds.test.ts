import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { recordedRun } from '../../testing/recorded-run.js';
import { testFolder } from '../../testing/test-folder.js';

const examples = fileURLToPath(new URL('../../../../../examples/proposal-kinds/', import.meta.url));

function copyOf(example: string): string {
  const root = testFolder();
  cpSync(`${examples}${example}`, root, { recursive: true });
  return root;
}

const kep = (...args: string[]) => recordedRun(['kep', ...args]);

test('kep check holds documents to the stages and fields of their kind', async () => {
  const all = await kep('check', '--root', copyOf('eips'));
  expect(all.code).toBe(1);
  expect(all.out).toContain('EIPS/eip-26.md  (eip, target Review)\n');
  expect(all.out).toMatch(/ in 20 of 20 KEPs|of 20 KEPs/);
  const one = await kep('check', '18', '--root', copyOf('eips'), '--stage', 'Final');
  expect(one.out).toContain('"Rationale" is required from Review on, and is missing');
  const none = await kep('check', '18', '--root', copyOf('eips'), '--stage', 'beta');
  expect(none).toMatchObject({ code: 2, err: expect.stringContaining('--stage: beta is not a stage') });
});

test('kep fix corrects a misspelt field and value of a declared kind', async () => {
  const root = copyOf('eips');
  await kep('fix', '--root', root);
  expect(readFileSync(join(root, 'EIPS/eip-26.md'), 'utf8')).toContain('status: Review\n');
  expect(readFileSync(join(root, 'EIPS/eip-27.md'), 'utf8')).toContain('category: Core\n');
  expect(readFileSync(join(root, 'EIPS/eip-31.md'), 'utf8')).toContain('eip: 31\n');
});

test.each([
  ['eips', 'eip/quiet-logs', 'EIPS/eip-32.md', /^---\neip: 32\ntitle: Quiet logs\n[\s\S]*author: @you\n/],
  [
    'rust-rfcs',
    'rfc/quiet-logs',
    'text/0020-quiet-logs.md',
    /^- Feature Name: quiet-logs\n- Start Date: \d{4}-\d\d-\d\d\n/,
  ],
  ['adrs', 'adr/quiet-logs', 'doc/adr/0021-quiet-logs.md', /^# 21\. Quiet logs\n/],
])('kep new begins the next document of %s', async (example, name, path, begins) => {
  const root = copyOf(example);
  const done = await kep('new', name, '--author', 'you', '--root', root);
  expect(done).toMatchObject({ code: 0, out: `${join(root, path)}\n` });
  expect(readFileSync(join(root, path), 'utf8')).toMatch(begins);
  const refused = await kep('new', name, '--gate', 'A:b', '--root', root);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--gate is for proposals of Kubernetes') });
});

test('kep status and list show the kinds, without releases and approvals', async () => {
  const root = copyOf('adrs');
  const status = await kep('status', '--root', root, '--stage', 'Proposed');
  expect(status.out).toMatch(
    /^NUMBER +KIND +STAGE +ANSWERED +ERRORS +STATE +TITLE\n0013 +adr +Proposed +3\/3 +0 +tracked +Pay for one region\n/,
  );
  const list = JSON.parse((await kep('list', '--root', root, '-o', 'json')).out);
  expect(list.items).toHaveLength(20);
  expect(list.items[3]).toMatchObject({
    number: '0004',
    status: 'Superseded',
    title: 'Run jobs at the edge of the hour',
  });
});

test('kep template lint goes by the stages of the kind whose template it is', async () => {
  const file = join(copyOf('eips'), 'eip-template.md');
  const good = await kep('template', 'lint', file);
  expect(good).toMatchObject({ code: 0, err: '' });
  expect(good.out).toContain('5 required (3 from Draft, 2 from Review, 0 from Last Call, 0 from Final)');
  writeFileSync(file, readFileSync(file, 'utf8').replace('stage: Review', 'stage: beta'));
  const bad = await kep('template', 'lint', file);
  expect(bad.code).toBe(1);
  expect(bad.out).toContain('"stage: beta": want one of Draft, Review, Last Call, Final');
});

test('kep site has a column for each stage of each kind', async () => {
  const root = copyOf('eips');
  const done = await kep('site', '--root', root, '--out', join(root, 'public'));
  expect(done.code).toBe(0);
  expect(readFileSync(join(root, 'public/index.html'), 'utf8')).toMatch(
    /id="eip-draft"[\s\S]*id="eip-last-call"[\s\S]*id="eip-closed"/,
  );
  expect(existsSync(join(root, 'public/kep/eip-26.html'))).toBe(true);
});

test.each([
  ['documents:\n  eip:\n    file: x\n', 'kep.yaml:3: unknown setting documents.eip.file'],
  ['documents:\n  eip: { files: x/*.md }\n', 'kep.yaml:2: documents.eip.files: x/*.md has a *'],
  ['documents:\n  eip: { files: "{numer}.md" }\n', 'kep.yaml:2: documents.eip.files: {numer}.md has {numer}'],
  ['documents:\n  eip: { files: ../x.md }\n', 'kep.yaml:2: documents.eip.files: ../x.md is not a path below the root'],
  ['documents:\n  eip:\n    metadata: header\n', 'kep.yaml:2: documents.eip does not say where its files are'],
  [
    'documents:\n  eip:\n    files: "{slug}.md"\n    title: name\n',
    'kep.yaml:4: documents.eip.title: there is no field name',
  ],
  ['documents:\n  eip:\n    files: "{slug}.md"\n    template: gone.md\n', 'the template gone.md cannot be read'],
  [
    'documents:\n  eip:\n    files: "{slug}.md"\n    rules:\n      KEP9999: off\n',
    'kep.yaml:5: no rule is called KEP9999',
  ],
  [
    'documents:\n  eip:\n    files: "{slug}.md"\n    rules: { KEP306: wait }\n',
    'kep.yaml:4: documents.eip.rules.KEP306: wait',
  ],
  ['documents: {}\n', 'kep.yaml:1: documents names no kind of document'],
  ['documents:\n  kep: { files: x.md }\n', 'kep.yaml:2: documents.kep has settings, and is built in'],
  [
    'documents:\n  eip:\n    files: "{slug}.md"\n    metadata: header\n    fields: { a: { required: Soon } }\n',
    'kep.yaml:5: documents.eip.fields.a.required: Soon is not a stage',
  ],
  ['version: 1\ndocuments:\n  eip: [\n', 'kep.yaml:'],
])('kep check refuses a configuration with its path and line: %j', async (text, says) => {
  const root = copyOf('adrs');
  writeFileSync(join(root, '.slipway/kep.yaml'), text);
  const done = await kep('check', '--root', root);
  expect(done).toMatchObject({ code: 2, out: '' });
  expect(done.err.split('\n')[0]).toContain(says);
});
