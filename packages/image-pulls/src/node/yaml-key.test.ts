import { parseYaml } from '@slipway/safe-yaml';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withYamlKey, yamlKey } from './yaml-key.js';

const key = 'imageServiceEndpoint';
const value = 'unix:///run/x.sock';

test.each([
  ['a: 1\n', `a: 1\n${key}: ${value}\n`],
  ['a: 1', `a: 1\n${key}: ${value}\n`],
  ['', `${key}: ${value}\n`],
  [`${key}: "old" # why\na: 1\n`, `${key}: ${value} # why\na: 1\n`],
  ['{}', `{"${key}": "${value}"}`],
  ['{"a":1}', `{"a":1,"${key}": "${value}"}`],
  ['{\n  "a": 1\n}\n', `{\n  "a": 1,\n  "${key}": "${value}"\n}\n`],
  ['{\n\t"a": [1,\n\t\t2]\n}', `{\n\t"a": [1,\n\t\t2],\n\t"${key}": "${value}"\n}`],
  [`{"${key}": "old", "a": 1}`, `{"${key}": "${value}", "a": 1}`],
])('withYamlKey() sets a key of %j and leaves the rest alone', (text, changed) => {
  expect(withYamlKey(text, key, value)).toBe(changed);
  expect(yamlKey(changed, key)).toBe(value);
});

test.each([
  [`{"${key}": "x"}`, '{}'],
  [`{"${key}": "x", "a": 1}`, '{"a": 1}'],
  [`{"a": 1, "${key}": "x", "b": 2}`, '{"a": 1, "b": 2}'],
  [`a: 1\n${key}: x\nb: 2\n`, 'a: 1\nb: 2\n'],
])('withYamlKey() removes a key of %j', (text, without) => {
  expect(withYamlKey(text, key, undefined)).toBe(without);
});

test('withYamlKey() sets and removes a key of any JSON object without a trace', () => {
  const object = fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { maxKeys: 5, noNullPrototype: true });
  const space = fc.constantFrom(undefined, ' ', '  ', '    ', '\t');
  fc.assert(
    fc.property(object, space, (fields, indent) => {
      fc.pre(!(key in fields));
      const text = JSON.stringify(fields, null, indent);
      const changed = withYamlKey(text, key, value);
      expect(JSON.parse(changed)).toEqual({ ...JSON.parse(text), [key]: value });
      expect(withYamlKey(changed, key, undefined)).toBe(text);
    }),
  );
});

test('withYamlKey() quotes what stands between braces, which YAML would split', () => {
  expect(parseYaml(withYamlKey('{a: 1}', key, 'a, b: c'))).toEqual({ a: 1, [key]: 'a, b: c' });
});
