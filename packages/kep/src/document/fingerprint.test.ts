import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparableLine, comparablePrint, fingerprint, KnownPrints } from './fingerprint.js';

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
      expect(new KnownPrints(new Set([fingerprint('another'), print])).has(line)).toBe(true);
      expect(new KnownPrints(new Set([fingerprint('another')])).has(line)).toBe(print === '');
    }),
    { numRuns: 5_000 },
  );
});

test('KnownPrints finds lines however they are marked, each time they are looked for', () => {
  const known = new KnownPrints(new Set([fingerprint('a line'), fingerprint('größe')]));
  for (const line of ['- A line', 'a  line', ' [x] A LINE ', '- größe', ' - [ ] ', '']) {
    for (let time = 0; time < 2; time++) expect([line, known.has(line)]).toEqual([line, true]);
  }
  for (const line of ['another line', 'a line more', 'grösse']) expect([line, known.has(line)]).toEqual([line, false]);
});
