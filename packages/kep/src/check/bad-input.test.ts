import { expect, test } from 'vitest';
import { parseDocument } from '../document/document.js';
import { gatherFacts } from '../facts/facts.js';
import { readApproval } from '../metadata/approval.js';
import { readKepYaml } from '../metadata/kep-yaml.js';
import { builtinTemplateText } from '../repository/repository.js';
import { readTemplate } from '../template/template.js';
import { aRepository } from '../testing/a-repository.js';
import { checkKep } from './check-kep.js';
import { defaultConfig } from './config.js';

const size = 200_000;
const fill = (part: string) => part.repeat(Math.ceil(size / part.length));
const template = readTemplate(builtinTemplateText(), 'builtin:2026.1');
const head = '# KEP-1: x\n<!-- toc -->\n<!-- /toc -->\n## Release Signoff Checklist\n';

const texts: [string, string][] = [
  ['comments that never end', fill('<!-- x\n')],
  ['comments in a paragraph', fill('a <!-- x ')],
  ['brackets', fill('[')],
  ['links that never end', fill('[a](')],
  ['references', fill('[a][b] ')],
  ['backticks of growing length', Array.from({ length: 600 }, (_, at) => `a${'`'.repeat(at)}`).join(' ')],
  ['marks of emphasis', fill('**a *b _c ')],
  ['headings', fill('# a\n')],
  ['headings with marks', fill('## [a] `b *c\n')],
  ['deep quotes', fill('> ')],
  ['deep lists', fill('- ')],
  ['lists further and further in', Array.from({ length: 600 }, (_, at) => `${' '.repeat(at)}- a`).join('\n')],
  ['fences of growing length', Array.from({ length: 600 }, (_, at) => '`'.repeat(at + 3)).join('\n')],
  ['boxes', fill('- [x] (R) a\n')],
  ['fields', fill('- [x] Metric name: a_b_c\n  - Feature gate name: X\n')],
  ['questions in bold', fill('* **a?** b\n')],
  ['bold that never ends', fill('* **a\n')],
  ['unresolved', fill('<<[UNRESOLVED]>>\n')],
  ['suppressions', fill('<!-- slipway-disable KEP306 -->\nTODO\n')],
  ['suppressions that hide nothing', fill('<!-- slipway-disable KEP306 -->\n')],
  ['suppressions that end', fill('<!-- slipway-disable KEP306 -->\n<!-- slipway-enable KEP306 -->\n')],
  ['placeholders', fill('? ')],
  ['question marks', fill('?')],
  ['blanks', fill(' ')],
  ['tabs', fill('\t')],
  ['NULs', fill('\0')],
  ['line ends', fill('\r\n')],
  ['invisible characters', fill('\u200b')],
  ['tags', fill('<a ')],
  ['table cells', fill('| a ')],
  ['colons', fill('a:')],
  ['odd characters', fill('Ã©â€”')],
  ['equals signs below text', fill('a\n===\n')],
  ['front matter that never ends', `---\n${fill('a: b\n')}`],
  ['dashes', fill('-')],
  ['hashes', fill('#')],
];

/** Far above what it takes, for machines that are busy; what is quadratic takes minutes. */
const quadraticMs = 30_000;

test.each(texts)(
  'all rules get through 200 kB of %s',
  (_, part) => {
    for (const text of [part, head + part]) {
      const facts = gatherFacts({
        document: parseDocument(text),
        source: { bytes: text.length, limitBytes: 2_097_152, invalidAt: undefined, encoding: 'utf-8' },
        yaml: readKepYaml('title: x\nkep-number: 1\nstatus: implementable\nstage: stable\nlatest-milestone: v1.37\n'),
        approval: readApproval('kep-number: 1\n'),
        approvalPath: 'keps/prod-readiness/sig-a/1.yaml',
        place: { directory: 'keps/sig-a/1-x', group: 'sig-a', number: '1' },
        template,
        repository: aRepository({ components: new Set(['kubelet']) }),
      });
      const paths = { kep: 'k', readme: 'r', yaml: 'y', approval: 'a' };
      expect(checkKep(facts, paths, defaultConfig).length).toBeLessThan(20_000);
    }
  },
  quadraticMs,
);

test.each([
  ['nested brackets', '['.repeat(60_000)],
  ['aliases', `a: &a [x]\nb: [${'*a,'.repeat(200)}]\n`],
  ['a list', '- a\n'],
  ['no text', ''],
  ['two documents', 'a: 1\n---\nb: 2\n'],
  ['values of other kinds', 'title: [1]\nstage: {}\nmilestone: 7\nfeature-gates: x\nauthors: {a: 1}\nmetrics: 3\n'],
])('readKepYaml() reads or refuses %s', (_, text) => {
  const yaml = readKepYaml(text);
  expect(yaml.many('authors')).toEqual([]);
  expect(yaml.one('title')).toBeUndefined();
});

test('KEP001 says from where on headings are read as text', () => {
  const { blocks, sections } = parseDocument('# a\n'.repeat(20_002));
  expect([sections.length, blocks.firstHeadingLeftOut]).toEqual([20_000, 20_000]);
});
