import { isAscii } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Finding } from '../check/finding.js';
import { type KnownResult, readResults, writeResults } from './stored-results.js';

const text = fc.oneof(fc.constantFrom('', '__proto__', 'größe \u{1f600}'), fc.string());
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
const checked = fc.record({ directory: text, findings: fc.array(finding), aim: text, approvalPath: optional });
const look = fc.record({ state: text, stamp: fc.option(fc.string({ minLength: 1 }), { nil: undefined }) });

test('readResults() reads what writeResults() wrote', () => {
  const looks = fc.uniqueArray(fc.tuple(text, look), { minLength: 1, selector: ([key]) => key });
  const results = fc.uniqueArray(fc.tuple(text, checked, fc.array(fc.nat())), { selector: ([name]) => name });
  fc.assert(
    fc.property(looks, results, (seen, all) => {
      const known = all.map(([name, result, places]): [string, KnownResult] => {
        const keys = places.map((at) => seen[at % seen.length]?.[0] ?? '');
        return [name, { looks: keys, checked: result }];
      });
      const written = writeResults(new Map(seen), known);
      expect(isAscii(Buffer.from(written))).toBe(true);
      const stored = readResults(written);
      expect(stored.looks).toEqual(seen);
      const read = [...stored.results].map(([name, { looks: indexes, checked: result }]) => {
        return [name, { looks: indexes.map((at) => stored.looks[at]?.[0]), checked: result }];
      });
      expect(read).toEqual(known);
    }),
  );
});
