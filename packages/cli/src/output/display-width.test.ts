import fc from 'fast-check';
import { expect, test } from 'vitest';
import { displayWidth, foldLines } from './display-width.js';

test.each([
  ['', 0],
  ['plain ascii', 11],
  ['größe', 5],
  ['gro\u0308ße', 5],
  ['日本語', 6],
  ['ｱｲｳ', 3],
  ['ＡＢ', 4],
  ['한국', 4],
  ['\u1112\u1161\u11ab', 2],
  ['👩‍🚀', 2],
  ['🇩🇪', 2],
  ['❤️', 2],
  ['✓ …', 3],
  ['𠮷', 2],
])('displayWidth(%j) is %i', (text, width) => {
  expect(displayWidth(text)).toBe(width);
});

test.each([
  ['one two three', 7, ['one two', 'three']],
  ['one two three', 8, ['one two', 'three']],
  ['kube-apiserver', 9, ['kube-', 'apiserver']],
  ['a long-word', 8, ['a', 'long-', 'word']],
  ['abcdef', 4, ['abcd', 'ef']],
  ['日本語', 5, ['日本', '語']],
  ['', 4, ['']],
])('foldLines(%j, %i) is %j', (text, columns, lines) => {
  expect(foldLines(text, columns)).toEqual(lines);
});

test('foldLines() loses nothing but blanks, and no line is too wide', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 2, max: 80 }), (text, columns) => {
      const lines = foldLines(text, columns);
      expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    }),
  );
});
