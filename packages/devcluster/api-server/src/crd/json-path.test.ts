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
  expect([...valuesAt(parseJsonPath(path), object)]).toEqual(expected);
});

test.each(['.a[?(@.b==', '.a[', '.a[b]', '.a]'])('parseJsonPath() refuses %s', (path) => {
  expect(() => parseJsonPath(path)).toThrow(JsonPathError);
});

test('valuesAt() gives up after so many values, however often it is asked about an object', () => {
  const effort = { looks: 0 };
  const wide = { a: Array.from({ length: 10_000 }, () => ({ b: 1 })) };
  const found = Array.from({ length: 100 }, () => [...valuesAt(parseJsonPath('..b'), wide, effort)].length);
  expect(found[0]).toBe(10_000);
  expect(found.at(-1)).toBe(0);
});

test('valuesAt() looks at no more than is asked for', () => {
  const effort = { looks: 0 };
  const list = Array.from({ length: 10_000 }, (_, n) => ({ n }));
  expect(valuesAt(parseJsonPath('[?(@.n>=3)].n'), list, effort).next().value).toBe(3);
  expect(effort.looks).toBeLessThan(20);
});
