import { expect, test } from 'vitest';
import type { Finding } from '../check/finding.js';
import { allRules } from '../rules/catalogue.js';
import { type ReportFormat, reportText } from './report.js';

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
const report = (findings: readonly Finding[], format: ReportFormat) =>
  reportText(
    {
      results: [{ directory: 'keps/sig-demo/42-demo', findings }],
      checked: 1,
      template: 'test',
      targets: new Map([
        ['keps/sig-demo/42-demo', 'target beta, v1.37'],
        ['keps/sig-demo/43-other', 'target alpha'],
      ]),
    },
    format,
  );

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

test('checklist: what each proposal must still do, in the order in which to do it', () => {
  const findings = [
    finding(1, { rule: 'KEP402', message: 'the table of contents is old' }),
    finding(2, { message: 'no [link](x) and no <b>' }),
    finding(3, { rule: 'KEP612', path: 'keps/prod-readiness/sig-demo/42.yaml', message: 'beta has no approver' }),
    finding(4, { severity: 'warn' }),
    finding(5, { waived: 'because' }),
  ];
  expect(report(findings, 'checklist')).toBe(`<!-- slipway-kep-checklist -->
### keps/sig-demo/42-demo: 3 things are missing for beta, v1.37

**Answer**

- [ ] no \\[link\\](x) and no \\<b\\> (KEP201, README.md line 2)

**Ask for approval**

- [ ] beta has no approver (KEP612, 42.yaml line 3)

**Correct**

- [ ] the table of contents is old (KEP402, README.md line 1)

### keps/sig-demo/43-other: nothing is missing for alpha
`);
});
