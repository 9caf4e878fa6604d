import { expect, test } from 'vitest';
import { parseManifest } from './parse-manifest.js';

// plain word | what Kubernetes reads; see resolve.go of go-yaml v2
const words: [string, unknown][] = [
  ['yes', true],
  ['On', true],
  ['y', true],
  ['NO', false],
  ['off', false],
  ['~', null],
  ['', null],
  ['Null', null],
  ['010', 8],
  ['0o7', 7],
  ['-0x1F', -31],
  ['0b101', 5],
  ['1_000', 1000],
  ['1e1', 10],
  ['+1.5', 1.5],
  ['.5', 0.5],
  ['0', 0],
  ['1:30', '1:30'],
  ['2026-01-01', '2026-01-01'],
  ['1.2.3', '1.2.3'],
  ['yEs', 'yEs'],
  ['9007199254740993', 9007199254740993n],
  ['-9_007_199_254_740_993', -9007199254740993n],
  ['0x7fffffffffffffff', 9223372036854775807n],
  ['28446744073709551615', 28446744073709550000],
  ['9007199254740993.0', 9007199254740992],
  ['1e400', '1e400'],
  ['1.0', 1],
  ['"yes"', 'yes'],
  ["'010'", '010'],
];

test.each(words)('parseManifest() reads %s as %s', (word, value) => {
  expect(parseManifest(`a: ${word}\n`).value).toEqual({ a: value });
});

// key | its name in JSON; observed with sigs.k8s.io/yaml 1.6.0
const keys: [string, string][] = [
  ['y', 'true'],
  ['on', 'true'],
  ['Yes', 'true'],
  ['n', 'false'],
  ['off', 'false'],
  ['"y"', 'y'],
  ['1', '1'],
  ['010', '8'],
  ['0x10', '16'],
  ['1e3', '1000'],
  ['1.50', '1.5'],
  ['1e30', '1e+30'],
  ['9007199254740993', '9007199254740993'],
  ['2026-01-01', '2026-01-01'],
  ['yonder', 'yonder'],
];

test.each(keys)('parseManifest() reads the key %j as %s', (key, name) => {
  expect(parseManifest(`a:\n  ${key}: x\n`).value).toEqual({ a: { [name]: 'x' } });
});

test('parseManifest() tells keys apart by what they mean', () => {
  expect(parseManifest('y: 1\nyes: 2\n')).toEqual({ value: { true: 2 }, repeated: [{ key: 'true', line: 2 }] });
  expect(parseManifest('y: 1\n"true": 2\n')).toEqual({ value: { true: 2 }, repeated: [] });
  expect(() => parseManifest('a:\n  ~: 1\n')).toThrow('line 2, column 3: a key must not be null');
});

test('parseManifest() takes the last of two equal keys, and says where', () => {
  const text = 'a:\n  b: 1\n  c: x\n  b: 2\nlist:\n- {d: 1, d: 2}\n';
  expect(parseManifest(text)).toEqual({
    value: { a: { b: 2, c: 'x' }, list: [{ d: 2 }] },
    repeated: [
      { key: 'b', line: 4 },
      { key: 'd', line: 6 },
    ],
  });
});

test('parseManifest() reads the first document only, and nothing as null', () => {
  expect(parseManifest('---\na: 1\n---\nb: 2\n').value).toEqual({ a: 1 });
  expect(parseManifest('# nothing\n').value).toBeNull();
  expect(parseManifest('{"a": "yes", "b": [1, true, null]}').value).toEqual({ a: 'yes', b: [1, true, null] });
});

test('parseManifest() says what is wrong, and where', () => {
  expect(() => parseManifest('a: [1\n')).toThrow(/^line 2, column 1: /);
  expect(() => parseManifest('a: &a [1]\nb: {<<: *a}\n')).toThrow(/merge/);
});
