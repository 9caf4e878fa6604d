import { expect, test } from 'vitest';
import { parseDocument } from '../document/document.js';
import { kepLadder } from '../metadata/stage.js';
import { type Answer, ownAnswer } from './answered.js';
import { assess, isOpen } from './assess.js';
import { matchTemplate } from './match.js';
import { scaffoldOf } from './scaffold.js';
import { readTemplate } from './template.js';

const scaffold = scaffoldOf(readTemplate('', 'none', kepLadder));

const cases: [Answer, string][] = [
  ['empty', ''],
  ['empty', '\n \n---\n'],
  ['empty', '[a]: http://b\n'],
  ['empty', '<!--DIRECTIVE: required: true-->\n'],
  ['empty', '<!-- slipway:evidence -->\n| a |\n<!-- /slipway:evidence -->\n'],
  ['scaffold-only', '<!-- what to write here -->\n'],
  ['scaffold-only', '- [ ] Events\n  - Event Reason:\n'],
  ['scaffold-only', '- [x] Feature gate (also fill in values in `kep.yaml`)\n  - Feature gate name:\n'],
  ['scaffold-only', 'Feature gate name:\n'],
  ['placeholder', 'TBD'],
  ['placeholder', '- TODO\n- ...\n'],
  ['scaffold-only', '- <test>: <link to test coverage>\n'],
  ['scaffold-only', '- `<package>`: `<date>` - `<test coverage>`\n'],
  ['placeholder', '- yyyy-mm-dd: TBD\n'],
  ['unresolved', '<<[UNRESOLVED a]>>\nwe argue\n<<[/UNRESOLVED]>>\n'],
  ['bare-na', 'N/A'],
  ['bare-na', '**No.**'],
  ['bare-na', '- none\n'],
  ['answered', 'No, because bells are few.'],
  ['answered', 'No\nN/A\n'],
  ['answered', 'TODO: find out'],
  ['answered', '```\ncode\n```\n'],
  ['answered', '| a | b |\n|---|---|\n'],
  ['answered', '![picture](a.png)\n'],
  ['answered', '<img src="a.png">\n'],
  ['answered', '<!-- a --> text'],
  ['answered', 'text <!-- over\nlines --> text'],
  ['answered', '- [x] Feature gate\n  - Feature gate name: X\n'],
  ['answered', '- [ ] Feature gate (also fill in values in `kep.yaml`)\n  - Feature gate name: X\n'],
  ['answered', '- [ ] the volume survives a restart\n'],
  ['answered', '1. first\n2. second\n'],
];

test.each(cases)('ownAnswer() is %s for %j', (answer, text) => {
  const document = parseDocument(`## A\n${text}`);
  const [section] = document.sections;
  if (!section) throw new Error('no section');
  expect(ownAnswer(document, section, scaffold)).toBe(answer);
});

const template = readTemplate(
  `# T
<!--DIRECTIVE: required: true-->
## Goals
<!--DIRECTIVE: required: true-->
## Plan
<!--DIRECTIVE: required: true-->
### Unit tests
<!--DIRECTIVE: required: true,since: v1.25-->
### Later
<!--DIRECTIVE: required: true,stage: beta-->
## Extra (Optional)
<!--DIRECTIVE: required: false-->
### Part
<!--DIRECTIVE: required: true-->
## Drawbacks
<!--DIRECTIVE: required: true-->
`,
  'test',
);
const open = (text: string, stage: 'draft' | 'alpha' | 'beta', milestone?: number) =>
  assess(parseDocument(text), template, { stage, milestone })
    .filter(isOpen)
    .map(({ wanted, answer }) => `${wanted.title}: ${answer ?? 'missing'}`);

test('assess() asks for what the stage and the release ask for', () => {
  const text = '# T\n## Goals\nx\n## Plan\n### Unit tests\nx\n## Drawbacks\nx\n';
  expect(open(text, 'alpha')).toEqual([]);
  expect(open(text, 'beta')).toEqual(['Later: missing']);
  expect(open('# T\n## Goals\nx\n## Plan\nx\n## Drawbacks\nx\n', 'alpha', 24)).toEqual([]);
  expect(open('# T\n## Goals\nx\n## Plan\nx\n## Drawbacks\nx\n', 'alpha', 25)).toEqual(['Unit tests: missing']);
  expect(open('# T\n', 'draft')).toEqual(['Goals: missing']);
});

test('assess() asks for a part of something optional only where that is there', () => {
  const text = '# T\n## Goals\nx\n## Plan\nx\n### Unit tests\nx\n## Drawbacks\nx\n';
  expect(open(text, 'alpha')).toEqual([]);
  expect(open(`${text}## Extra\n`, 'alpha')).toEqual(['Part: missing']);
});

test('assess() sees sections that are headings of level 1', () => {
  expect(open('# Goals\nx\n# Plan\nx\n# Unit tests\n# Drawbacks\nx\n', 'alpha')).toEqual([
    'T: missing',
    'Unit tests: empty',
  ]);
  expect(open('# KEP-1: Bells\n# Goals\n# Plan\nx\n# Unit tests\nx\n# Drawbacks\nx\n', 'alpha')).toEqual([
    'Goals: empty',
  ]);
});

test('assess() takes a question for that of the template when only its words for the feature differ', () => {
  const { sections } = readTemplate(
    '# T\n<!--DIRECTIVE: required: true-->\n###### What are the SLOs (Service Level Objectives) for the enhancement?\n<!--DIRECTIVE: required: true-->\n',
    'test',
  );
  const found = (title: string) =>
    matchTemplate(parseDocument(`# T\n###### ${title}\nx\n`), { ...template, sections }).size === 2;
  expect(found('What are the SLOs for this feature?')).toBe(true);
  expect(found('What are the SLOs for the KEP?')).toBe(true);
  expect(found('What are the SLIs for this feature?')).toBe(false);
});

test.each([
  ['Not applicable, as this is a policy.', []],
  ['**N/A** (docs)', []],
  ['NOT APPLICABLE', []],
  ['Not required for alpha.', ['Rings?: empty', 'Tolls?: missing']],
  ['Nothing changes.', ['Rings?: empty', 'Tolls?: missing']],
])('assess() asks nothing below a heading that says %j', (text, wanted) => {
  const asks = readTemplate(
    '# T\n<!--DIRECTIVE: required: true-->\n## Monitoring\n<!--DIRECTIVE: required: true-->\n' +
      '### Rings?\n<!--DIRECTIVE: required: true-->\n### Tolls?\n<!--DIRECTIVE: required: true-->\n',
    'test',
  );
  const document = parseDocument(`# T\n## Monitoring\n\n<!-- guidance -->\n\n${text}\n\n### Rings?\n`);
  const found = assess(document, asks, { stage: 'alpha', milestone: undefined }).filter(isOpen);
  expect(found.map((each) => `${each.wanted.title}: ${each.answer ?? 'missing'}`)).toEqual(wanted);
});

test.each([
  ['other words and levels', '# T\n## Goals\nx\n### Testing plan\n#### Unit test\nx\n## Drawbacks [optional]\nx\n'],
  ['two in one', '# T\n## Goals/Non-Goals\nx\n## Plan\nx\n### Unit tests\nx\n## Drawbacks and Goals\nx\n'],
  [
    'a title that goes on',
    '# T\n## Goals of bells\nx\n## Plan\nx\n### Unit tests for bells\nx\n## Drawbacks: loudness\nx\n',
  ],
])('assess() finds sections with %s', (what, text) => {
  const plan = what === 'other words and levels' ? ['Plan: missing'] : [];
  expect(open(text, 'alpha')).toEqual(plan);
});
