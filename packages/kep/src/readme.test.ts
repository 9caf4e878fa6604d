import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { assess, builtinTemplateText, isOpen, parseDocument, readTemplate, tableOfContents } from './index.js';

test('the example of the README does what it says', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const source = /parseDocument\('(.*)'\);/.exec(readme)?.[1]?.replaceAll('\\n', '\n') ?? '';
  const template = readTemplate(builtinTemplateText(), 'builtin:2026.1');
  const proposal = parseDocument(source);
  const open = assess(proposal, template, { stage: 'alpha', milestone: 37 }).filter(isOpen);
  expect(open[0]).toMatchObject({ wanted: { title: 'Motivation' }, match: undefined });
  expect(tableOfContents(proposal)).toBe('- [Summary](#summary)');
});
