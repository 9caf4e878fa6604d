import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparableLine, comparablePrint, fingerprint } from './fingerprint.js';

test('comparablePrint() is the fingerprint of the comparable line', () => {
  const unit = fc.constantFrom(
    ' ',
    ' ',
    '-',
    '*',
    '+',
    '[',
    ']',
    'x',
    'X',
    'A',
    'z',
    '1',
    '\t',
    'é',
    '\u00a0',
    '~',
    '\u007f',
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 12 }), (line) => {
      const comparable = comparableLine(line);
      expect(comparablePrint(line)).toBe(comparable === '' ? '' : fingerprint(comparable));
    }),
    { numRuns: 5_000 },
  );
});
