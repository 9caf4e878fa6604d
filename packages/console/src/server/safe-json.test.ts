import { printable } from '@slipway/safe-yaml/printable';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeJson } from './safe-json.js';

const signs = [
  'a',
  '"',
  '\\',
  '\\u0041',
  '\n',
  '\t',
  '\r',
  '\b',
  '\f',
  '\u001b',
  '\u009b',
  '\u202e',
  '\u200b',
  '\u{e0001}',
];
const text = fc.array(fc.constantFrom(...signs), { maxLength: 6 }).map((all) => all.join(''));

test('safeJson() makes every string printable, and changes nothing else', () => {
  const made = (value: unknown): unknown => {
    if (typeof value === 'string') return printable(value);
    if (typeof value === 'bigint') return String(value);
    if (Array.isArray(value)) return value.map(made);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, made(inner)]));
  };
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(text, fc.integer(), fc.bigInt(), fc.boolean(), fc.constant(null)),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('key', 'name'), tie('tree'), { maxKeys: 2 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      expect(JSON.parse(safeJson(value))).toEqual(made(value));
    }),
  );
});
