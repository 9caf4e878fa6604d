import { expect, test } from 'vitest';
import { parseDocument } from '../document/document.js';
import { matchTemplate } from './match.js';
import { readTemplate } from './template.js';

const template = readTemplate(
  ['# Title', '## Summary', '## Motivation', '### Goals', '## Drawbacks', '## Alternatives'].join('\n\n'),
  'test',
);

test.each([
  ['Drawbacks / Alternatives', ['Drawbacks', 'Alternatives']],
  ['Alternatives and Drawbacks', ['Drawbacks', 'Alternatives']],
  ['Summary and Motivation', ['Summary', 'Motivation']],
  ['Summary, and', []],
  ['Summary and Alternatives of others', []],
  ['Goals', ['Goals']],
])('matchTemplate() takes a section "%s" for %j', (title, wanted) => {
  const matches = matchTemplate(parseDocument(`# Title\n\n## ${title}\n\nText.\n`), template);
  const named = [...matches].filter(([, { section }]) => section.title === title).map(([each]) => each.title);
  expect(named).toEqual(wanted);
});
