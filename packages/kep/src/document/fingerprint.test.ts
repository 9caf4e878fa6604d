import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparableLine, comparablePrint, fingerprint, firstHashes } from './fingerprint.js';

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
      const print = comparable === '' ? '' : fingerprint(comparable);
      expect(comparablePrint(line)).toBe(print);
      expect(comparablePrint(line, firstHashes([fingerprint('another'), print]))).toBe(print);
    }),
    { numRuns: 5_000 },
  );
});

test('comparablePrint() leaves out a print whose first hash is not among those asked for', () => {
  const among = firstHashes([fingerprint('a line')]);
  expect(comparablePrint('- A line', among)).toBe(fingerprint('a line'));
  expect(comparablePrint('another line', among)).toBeUndefined();
  expect(comparablePrint(' - [ ] ', among)).toBe('');
});
