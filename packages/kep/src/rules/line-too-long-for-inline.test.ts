import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument } from '../document/document.js';
import type { KepFacts, Report } from '../facts/rule.js';
import { lineTooLongForInline } from './line-too-long-for-inline.js';

test('lineTooLongForInline reports each line above 20,000 characters, wherever it is', () => {
  const length = fc.oneof(
    fc.constantFrom(0, 1, 10_000, 19_999, 20_000, 20_001, 40_001),
    fc.integer({ min: 0, max: 25_000 }),
  );
  fc.assert(
    fc.property(fc.array(length, { maxLength: 8 }), fc.constantFrom('\n', '\r\n', '\r'), (lengths, ending) => {
      const document = parseDocument(lengths.map((each) => 'x'.repeat(each)).join(ending));
      const found: Report[] = [];
      lineTooLongForInline.check({ document } as KepFacts, (report) => found.push(report));
      const wanted = lengths.flatMap((each, line) =>
        each > 20_000 ? [[line, `this line has ${each} characters`]] : [],
      );
      expect(found.map(({ span, message }) => [document.lines.at(span.start), message])).toEqual(wanted);
    }),
    { numRuns: 200 },
  );
});
