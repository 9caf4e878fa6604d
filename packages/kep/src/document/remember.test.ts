import fc from 'fast-check';
import { expect, test } from 'vitest';
import { remembering, rememberingLast } from './remember.js';

test('remembering() answers as the function does, and asks it once for a short text', () => {
  const asked: string[] = [];
  const upper = remembering((text) => {
    asked.push(text);
    return text.toUpperCase();
  });
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(upper(text)).toBe(text.toUpperCase());
      const before = asked.length;
      expect(upper(`-${text}`.slice(1))).toBe(text.toUpperCase());
      expect(asked.length).toBe(before + (text.length > 200 ? 1 : 0));
    }),
  );
});

test('rememberingLast() answers as the function does for any order of objects, and calls it once for the same in a row', () => {
  const objects = [{ at: 0 }, { at: 1 }, { at: 2 }];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...objects)), (keys) => {
      const asked: object[] = [];
      const copy = rememberingLast((key: { readonly at: number }) => {
        asked.push(key);
        return { ...key };
      });
      expect(keys.map(copy)).toEqual(keys);
      expect(asked).toEqual(keys.filter((key, at) => key !== keys[at - 1]));
    }),
  );
});
