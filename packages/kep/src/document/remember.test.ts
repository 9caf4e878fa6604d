import fc from 'fast-check';
import { expect, test } from 'vitest';
import { remembering } from './remember.js';

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
