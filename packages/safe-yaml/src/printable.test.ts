import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseYaml } from './parse-yaml.js';
import { isPrintable, printable, printableJson, printableLine } from './printable.js';
import { toYaml } from './to-yaml.js';

test.each([
  ['a title', 'a title'],
  ['\u001b]0;owned\u0007', '\\x1b]0;owned\\x07'],
  ['\u009b31m', '\\x9b31m'],
  ['two\r\nlines\tand a tab', 'two\nlines\tand a tab'],
  ['back\rover', 'back\\x0dover'],
  ['\u202egnp.exe', '\\u{202e}gnp.exe'],
  ['größe 日本 👩‍🚀', 'größe 日本 👩‍🚀'],
])('printable(%j) is %j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

/** Any text, with many of the characters that terminals act on. */
const hostile = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.integer({ min: 0, max: 0x9f }).map((code) => String.fromCharCode(code)),
    fc.constantFrom('\u001b[2J', '\u009d', '\u202e', '\u2066', '\u200b', '\u{e0041}', '\ufeff', '\ufffa', '\r', '\n'),
  ),
);
/** Code points that a terminal acts on, as ranges. */
const actedOn: [number, number][] = [
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  [0x61c, 0x61c],
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x2069],
  [0xfeff, 0xfeff],
  [0xfff9, 0xfffb],
  [0xe0000, 0xe007f],
];
const actedOnIn = (text: string) =>
  [...text].filter((sign) =>
    actedOn.some(([from, to]) => from <= (sign.codePointAt(0) ?? 0) && (sign.codePointAt(0) ?? 0) <= to),
  );

test('nothing that a terminal acts on is left of any text', () => {
  fc.assert(
    fc.property(hostile, (parts) => {
      expect(actedOnIn(printable(parts.join('')))).toEqual([]);
      expect(printableLine(parts.join(''))).not.toMatch(/\n|\t/);
    }),
  );
});

test('printableJson() and toYaml() leave nothing of it either, and are the same once parsed', () => {
  const text = hostile.map((parts) => parts.join(''));
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 3 }, text, fc.integer(), fc.array(tie('tree')), fc.dictionary(text, tie('tree'))),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const plain = JSON.parse(JSON.stringify(value));
      const json = printableJson(JSON.stringify(plain, null, 2));
      expect(actedOnIn(json)).toEqual([]);
      expect(JSON.parse(json)).toEqual(plain);
      const yaml = toYaml(plain);
      expect(actedOnIn(yaml)).toEqual([]);
      expect(parseYaml(yaml)).toEqual(plain);
    }),
  );
});

test('printableJson() escapes the characters that are not printable, and no others', () => {
  const points = [...Array(0x10000).keys(), ...Array.from({ length: 0x100 }, (_, at) => 0xe0000 + at)];
  const signs = points.map((point) => String.fromCodePoint(point));
  const wrong = signs.filter((sign) => (printableJson(sign) === sign) !== isPrintable(sign));
  expect(wrong).toEqual([]);
});
