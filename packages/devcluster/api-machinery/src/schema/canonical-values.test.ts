import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalAmount, canonicalQuantity } from './canonical-quantity.js';
import { canonicalMicroTime, canonicalTime } from './canonical-time.js';

test.each([
  ['0', '0'],
  ['0m', '0'],
  ['1000m', '1'],
  ['0.5', '500m'],
  ['.5', '500m'],
  ['1.5Gi', '1536Mi'],
  ['1024Mi', '1Gi'],
  ['1023', '1023'],
  ['512Ki', '512Ki'],
  ['0.5Ki', '512'],
  ['1000k', '1M'],
  ['1e3', '1e3'],
  ['12e2', '1200'],
  ['-1000m', '-1'],
  ['1n', '1n'],
  ['0.1n', '1n'],
  ['100000000000000000000', '100E'],
  ['99999999999999999999999999', '99999999999999999999999999'],
  ['1e25', '10e24'],
  ['8Ei', '9223372036854775807'],
  ['Gi', '0'],
  ['-', '0'],
  // What has few digits, which end at a suffix, stays as it was written.
  ['1.125', '1.125'],
  ['+01.500k', '+01.500k'],
  ['5.k', '5.k'],
  ['0.125', '125m'],
  ['1.500', '1.500'],
  ['2.000', '2'],
  ['7Pi', '7Pi'],
  ['1e1000000', '9223372036854775807'],
])('canonicalQuantity() of %s is %s', (text, canonical) => {
  expect(canonicalQuantity(text)).toBe(canonical);
});

test.each(['', 'x', '1 Gi', '1.2.3', '8GB', '--1', '1Kii'])('canonicalQuantity() refuses %j', (text) => {
  expect(() => canonicalQuantity(text)).toThrow(/quantit/);
});

test.each([
  ['12.000001', '12001m'],
  ['1n', '1m'],
  ['-1500u', '-2m'],
  ['1.125', '1.125'],
  ['1Gi', '1Gi'],
])('canonicalAmount() of %s is %s', (text, canonical) => {
  expect(canonicalAmount(text)).toBe(canonical);
});

test('any quantity: its canonical form stays as it is', () => {
  const text = fc
    .tuple(fc.integer(), fc.nat(), fc.constantFrom('', 'm', 'k', 'M', 'Ki', 'Mi', 'Gi', 'n', 'u', 'e3', 'E-2'))
    .map(([whole, fraction, suffix]) => `${whole}.${fraction}${suffix}`);
  fc.assert(
    fc.property(text, (given) => {
      const once = canonicalQuantity(given);
      expect(canonicalQuantity(once)).toBe(once);
    }),
  );
});

test.each([
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
  ['2026-01-02T03:04:05.999Z', '2026-01-02T03:04:05Z'],
  ['2026-01-01T00:30:00+02:00', '2025-12-31T22:30:00Z'],
  ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
])('canonicalTime() of %s is %s', (text, canonical) => {
  expect(canonicalTime(text)).toBe(canonical);
});

test.each([
  ['2026-02-29T00:00:00Z', 'parsing time "2026-02-29T00:00:00Z": day out of range'],
  ['2026-01-02T24:00:00Z', 'parsing time "2026-01-02T24:00:00Z": hour out of range'],
  ['2026-01-02', 'parsing time "2026-01-02" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
  [
    '2026-01-02T03:04:05',
    'parsing time "2026-01-02T03:04:05" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "Z07:00"',
  ],
  ['2026-01-02T03:04:05Zx', 'parsing time "2026-01-02T03:04:05Zx": extra text: "x"'],
])('canonicalTime() refuses %s', (text, message) => {
  expect(() => canonicalTime(text)).toThrow(expect.objectContaining({ message }));
});

test('canonicalMicroTime() wants six digits and keeps them', () => {
  expect(canonicalMicroTime('2026-01-02T03:04:05.000001+01:00')).toBe('2026-01-02T02:04:05.000001Z');
  expect(() => canonicalMicroTime('2026-01-02T03:04:05Z')).toThrow(/cannot parse "Z" as ".000000"/);
});
