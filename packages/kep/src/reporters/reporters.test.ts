import { expect, test } from 'vitest';
import type { Finding } from '../check/finding.js';
import { allRules } from '../rules/catalogue.js';
import { renderReport } from './report.js';

const finding = (at: number, changes: Partial<Finding> = {}): Finding => ({
  rule: 'KEP201',
  slug: 'section-empty',
  severity: 'error',
  kep: 'keps/sig-demo/42-demo',
  path: 'keps/sig-demo/42-demo/README.md',
  file: 'readme',
  span: { start: { line: at, column: 1 }, end: { line: at, column: 9 } },
  message: `section ${at} is empty`,
  section: undefined,
  fix: undefined,
  unsuppressible: false,
  baselined: false,
  waived: undefined,
  fingerprint: String(at),
  ...changes,
});
const report = (findings: readonly Finding[], format: 'github' | 'sarif') =>
  renderReport({ findings, checked: 1, template: 'test', targets: new Map() }, format);

test('github: ten annotations of a level, and a line of the log for each other finding', () => {
  const errors = Array.from({ length: 25 }, (_, at) => finding(at + 1));
  const lines = report([...errors, finding(30, { severity: 'warn' })], 'github').split('\n');
  expect(lines.filter((line) => line.startsWith('::error '))).toHaveLength(10);
  expect(lines.filter((line) => line.startsWith('::warning '))).toHaveLength(1);
  const others = lines.filter((line) => line.startsWith('error KEP201 keps/sig-demo/42-demo/README.md:'));
  expect(others.at(-1)).toBe('error KEP201 keps/sig-demo/42-demo/README.md:25:1 section 25 is empty');
  expect(others).toHaveLength(15);
});

test('github: no path and no message is a command of its own', () => {
  const evil = Array.from({ length: 12 }, (_, at) =>
    finding(at + 1, { path: `a\n::add-mask::x`, message: 'b\r\n::set-output name=x::y' }),
  );
  const lines = report(evil, 'github').split(/[\r\n]+/);
  expect(lines.filter((line) => /^\s*(?:::|##\[)/.test(line) && !line.startsWith('::error file='))).toEqual([]);
});

test('sarif: every rule has a help text', () => {
  const { rules } = JSON.parse(report([], 'sarif')).runs[0].tool.driver;
  expect(rules).toHaveLength(allRules.length);
  for (const { help } of rules)
    expect(help).toEqual({ text: expect.stringMatching(/\nTo fix: \S/), markdown: help.text });
});
