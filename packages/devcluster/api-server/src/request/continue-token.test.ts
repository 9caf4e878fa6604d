import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeContinue, encodeContinue } from './continue-token.js';

test('decodeContinue() reads what encodeContinue() wrote', () => {
  const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,20}[a-z0-9])?$/).filter((text) => !text.includes('..'));
  fc.assert(
    fc.property(fc.integer({ min: 1 }), name, fc.option(name), (revision, first, second) => {
      const after = second === null ? first : `${first}/${second}`;
      expect(decodeContinue(encodeContinue(revision, after))).toEqual({ revision, after });
    }),
  );
});

test('decodeContinue() answers any text with a token or a refusal', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      try {
        expect(decodeContinue(text).after).toEqual(expect.any(String));
      } catch (error) {
        expect(String(error)).toContain('invalid continue token');
      }
    }),
  );
});
