import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Finding } from './finding.js';
import { keepFindings, readFindings } from './kept-findings.js';

const text = fc.oneof(fc.constantFrom('', '__proto__', 'größe \u{1f600}', '\u009b', '\ud800'), fc.string());
const optional = fc.option(text, { nil: undefined });
const place = fc.record({ line: fc.nat(), column: fc.nat() });
const edit = fc.record({ start: fc.nat(), end: fc.nat(), text });
const file = fc.constantFrom('readme' as const, 'yaml' as const, 'approval' as const);
const fix = fc.oneof(
  fc.record({ safety: fc.constantFrom('safe' as const, 'unsafe' as const), edits: fc.array(edit) }),
  fc.record({ safety: fc.constant('safe' as const), edits: fc.array(edit), file }),
);
const finding: fc.Arbitrary<Finding> = fc.record({
  rule: text,
  slug: text,
  severity: fc.constantFrom('error' as const, 'warn' as const, 'info' as const),
  kep: text,
  path: text,
  file,
  span: fc.record({ start: place, end: place }),
  message: text,
  section: optional,
  fix: fc.option(fix, { nil: undefined }),
  unsuppressible: fc.boolean(),
  baselined: fc.boolean(),
  waived: optional,
  fingerprint: text,
});

test('readFindings() reads what keepFindings() made', () => {
  fc.assert(
    fc.property(fc.array(finding), (findings) => {
      expect(readFindings(keepFindings(findings))).toEqual(findings);
    }),
  );
});
