import { expect, test } from 'vitest';
import { lintTemplate } from '../template/lint.js';
import { readTemplate } from '../template/template.js';
import { kepLadder, reaches, type StageLadder, stageNamed } from './stage.js';

const eips: StageLadder = {
  names: ['Draft', 'Last Call', 'Final'],
  ranks: new Map(Object.entries({ Draft: 0, 'Last Call': 1, Final: 2, Living: 2 })),
  also: new Map([['living', 'Final']]),
  draft: undefined,
};

// ladder | as a template writes it | the stage | what is wrong
test.each<[StageLadder, string, string, string[]]>([
  [kepLadder, 'beta', 'beta', []],
  [kepLadder, 'GA', 'stable', []],
  [kepLadder, 'gamma', 'alpha', ['KEP-D03']],
  [kepLadder, 'deprecated', 'alpha', ['KEP-D03']],
  [eips, 'last call', 'Last Call', []],
  [eips, 'Living', 'Final', []],
  [eips, 'beta', 'Draft', ['KEP-D03']],
  [eips, 'constructor', 'Draft', ['KEP-D03']],
])('a template for %j that says stage: %s', (ladder, text, stage, problems) => {
  const template = readTemplate(
    `# T\n<!-- DIRECTIVE: required: false -->\n\n## A\n<!-- DIRECTIVE: required: true,stage: ${text} -->\n`,
    't',
    ladder,
  );
  expect(template.sections[1]).toMatchObject({ stage });
  expect(lintTemplate(template).problems.map(({ rule }) => rule)).toEqual(problems);
});

test.each<[StageLadder, string, string, boolean]>([
  [kepLadder, 'draft', 'alpha', false],
  [kepLadder, 'removed', 'stable', true],
  [kepLadder, 'deprecated', 'beta', false],
  [eips, 'Living', 'Final', true],
  [eips, 'Draft', 'Last Call', false],
  [eips, 'Withdrawn', 'Draft', false],
  [eips, 'Final', 'beta', false],
])('reaches() in %j from %s to %s is %s', (ladder, stage, from, is) => {
  expect(reaches(stage, from, ladder)).toBe(is);
  expect(stageNamed(from, ladder) === undefined || reaches(from, from, ladder)).toBe(true);
});
