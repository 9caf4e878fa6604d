import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldSelectorToString, matchesFields, parseFieldSelector } from './field-selector.js';
import { SelectorError } from './selector-error.js';

const fields: Readonly<Record<string, string>> = { 'metadata.name': 'a', 'spec.nodeName': '', 'status.text': 'x,y=z' };

// selector | does it select
const matches: [string, boolean][] = [
  ['', true],
  ['=', true],
  [',', true],
  ['metadata.name=a', true],
  ['metadata.name==a', true],
  ['metadata.name!=a', false],
  ['metadata.name=a,spec.nodeName=', true],
  ['spec.nodeName!=', false],
  ['status.text=x\\,y\\=z', true],
];

test.each(matches)('parseFieldSelector(%j)', (text, expected) => {
  expect(matchesFields(parseFieldSelector(text), (path) => fields[path] ?? '')).toBe(expected);
});

test('parseFieldSelector() refuses what it cannot read', () => {
  expect(() => parseFieldSelector('abc')).toThrow(new SelectorError("invalid selector: 'abc'; can't understand 'abc'"));
  expect(() => parseFieldSelector('a=b\\c')).toThrow('invalid escape sequence');
  expect(() => parseFieldSelector('a=b=c')).toThrow('unescaped character in value: 61');
});

test('what fieldSelectorToString() writes, parseFieldSelector() reads back', () => {
  const requirement = fc.record({
    path: fc.constantFrom('metadata.name', 'spec.nodeName'),
    operator: fc.constantFrom('=' as const, '!=' as const),
    value: fc.string(),
  });
  fc.assert(
    fc.property(fc.array(requirement), (requirements) => {
      expect(parseFieldSelector(fieldSelectorToString(requirements))).toEqual(requirements);
    }),
  );
});
