import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readResults, writeResults } from './stored-results.js';

const text = fc.oneof(fc.constantFrom('', '__proto__', 'größe \u{1f600}', '\n'), fc.string());
const tally = fc.record({
  errors: fc.nat(),
  warnings: fc.nat(),
  infos: fc.nat(),
  baselined: fc.nat(),
  waived: fc.nat(),
  withFindings: fc.nat(),
});
const bytes = fc.uint8Array({ maxLength: 20 });
const result = fc.record({
  directory: text,
  aim: text,
  approvalPath: fc.option(text, { nil: undefined }),
  kept: fc.record({ tally, json: bytes, rest: bytes }),
});
const look = fc.record({ state: text, stamp: fc.option(fc.string({ minLength: 1 }), { nil: undefined }) });

test('readResults() reads what writeResults() wrote', () => {
  const looks = fc.uniqueArray(fc.tuple(text, look), { minLength: 1, selector: ([key]) => key });
  const results = fc.uniqueArray(fc.tuple(text, result, fc.array(fc.nat())), { selector: ([name]) => name });
  fc.assert(
    fc.property(looks, results, (seen, all) => {
      const known = all.map(([name, checked, places]) => {
        const keys = places.map((at) => seen[at % seen.length]?.[0] ?? '');
        return [name, { looks: keys, checked: { ...checked, findings: [] } }] as const;
      });
      const stored = readResults(Buffer.concat(writeResults(new Map(seen), known)));
      expect(stored.looks).toEqual(seen);
      const read = [...stored.results].map(([name, { looks: indexes, checked }]) => {
        const { directory, aim, approvalPath, kept } = checked;
        const plain = { tally: kept.tally, json: Uint8Array.from(kept.json), rest: Uint8Array.from(kept.rest) };
        const keys = indexes.map((at) => stored.looks[at]?.[0]);
        return [name, { looks: keys, checked: { directory, aim, approvalPath, kept: plain, findings: [] } }];
      });
      expect(read).toEqual(known);
    }),
  );
});
