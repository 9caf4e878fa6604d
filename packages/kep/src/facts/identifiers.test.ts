import fc from 'fast-check';
import { expect, test } from 'vitest';
import { metricNames, underscoredWords } from './identifiers.js';

const text = fc.string({
  unit: fc.constantFrom('a', 'B', '1', '_', '_', ':', '/', '.', '-', ' ', 'é', '\n'),
  maxLength: 20,
});

test('underscoredWords() finds the words with an underscore', () => {
  fc.assert(
    fc.property(text, (text) => {
      const found = underscoredWords(text).map(({ start, end }) => text.slice(start, end));
      expect(found).toEqual(text.match(/(?<![\w:])[A-Za-z0-9:]*_[\w:]*/g) ?? []);
    }),
    { numRuns: 1_000 },
  );
});

test('metricNames() finds each name once, whatever stands around it', () => {
  const part = fc.constantFrom(
    'a_b_c',
    'a1_b_c_d',
    'a_b',
    'A_b_c',
    '_a_b_c',
    'a_b_c_',
    'a__b_c',
    '/',
    '.',
    '-',
    ':',
    ' ',
    'é',
    '1',
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
      const text = `the ${parts.join('')}`;
      const found = text.match(/(?<![\w/.-])[a-z][a-z0-9]*(?:_[a-z0-9]+){2,}(?![\w/-])/g) ?? [];
      expect(metricNames(text)).toEqual([...new Set(found)]);
    }),
    { numRuns: 2_000 },
  );
});
