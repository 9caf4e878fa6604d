import { expect, test } from 'vitest';
import { JsonPathError, parseJsonPath, valuesAt } from './json-path.js';

const object = {
  spec: { ports: [{ port: 1 }, { port: 2 }], 'a.b': 'dotted', steps: ['x', 'y', 'z'] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', n: 3 },
      { type: 'Other', status: 'False', n: 1 },
    ],
  },
};

test.each([
  ['.spec.ports[*].port', [1, 2]],
  ['.spec.ports[-1].port', [2]],
  ['.spec.ports[7].port', []],
  ['.spec.steps[0:2]', ['x', 'y']],
  ['.spec.a\\.b', ['dotted']],
  [".spec['a.b']", ['dotted']],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  ['.status.conditions[?(@.n > 2)].type', ['Ready']],
  ['.status.conditions[?(@.missing)].type', []],
  ['.status.conditions[?(@.status!="True")].type', ['Other']],
  ['..port', [1, 2]],
  ['.nothing.at.all', []],
  ['.constructor', []],
  ['spec.steps[1]', ['y']],
])('valuesAt() follows %s', (path, expected) => {
  expect(valuesAt(parseJsonPath(path), object)).toEqual(expected);
});

test.each(['.a[?(@.b==', '.a[', '.a[b]', '.a]'])('parseJsonPath() refuses %s', (path) => {
  expect(() => parseJsonPath(path)).toThrow(JsonPathError);
});
