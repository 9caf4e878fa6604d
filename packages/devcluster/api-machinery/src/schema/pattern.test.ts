import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { compilePattern } from './pattern.js';

const atom = fc.constantFrom('a', '.', '[a-z]', '[^\\]\\pL]', '\\d', '\\pN', '\\p{Greek}', '[[:alpha:]]', '^');
const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  piece: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    atom,
    fc.tuple(atom, fc.constantFrom('*', '+?', '?', '{3}', '{2,}', '{0,40}')).map((parts) => parts.join('')),
    fc
      .tuple(tie('pattern'), fc.constantFrom('', '*', '{7}', '{2,9}'))
      .map(([inner, operator]) => `(${inner})${operator}`),
  ),
  pattern: fc.array(tie('piece'), { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join('|')),
}));

test('what a pattern weighs is never much less than what it becomes', () => {
  fc.assert(
    fc.property(pattern, (source) => {
      let told = 0;
      const made = compilePattern(`${source}x`, (weight) => {
        told = weight;
      });
      fc.pre(typeof made !== 'string' && told > 0);
      expect((made as RE2JS).programSize()).toBeLessThan(told * 3 + 10);
    }),
  );
});

test.each([
  'a{1000}'.repeat(6),
  '((a{30}){30}){30}',
  `${'('.repeat(900)}a${')'.repeat(900)}{5}`,
  'a'.repeat(1_000_000),
  '(?:\\pL?\\pN?){90}',
])('%.30s is too large', (source) => {
  expect(compilePattern(source)).toBe('error parsing regexp: expression too large');
});

test.each([
  '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?){0,15}$',
  '^.{1,1000}$',
  '^(\\S{1,63}/)?\\S{1,253}$',
  '\\Q[({\\E',
])('%s is not too large', (source) => {
  expect(compilePattern(source)).toBeInstanceOf(RE2JS);
});
