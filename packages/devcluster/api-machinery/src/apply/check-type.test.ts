import { expect, test } from 'vitest';
import { checkType } from './check-type.js';
import { nothing, someKind } from './testing/some-objects.js';

// spec | message; the texts are those of structured-merge-diff
const wrong: [unknown, string][] = [
  [{ replicas: 'x' }, '.spec.replicas: expected numeric (int or float), got string'],
  [{ size: 5 }, '.spec.size: expected string, got &value.valueUnstructured{Value:5}'],
  [
    { size: { a: [1] } },
    '.spec.size: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":[]interface {}{1}}}',
  ],
  [{ tags: {} }, '.spec.tags: expected list, got &{map[]}'],
  [{ nested: [] }, '.spec.nested: expected map, got &{[]}'],
  [{ nope: 1 }, '.spec.nope: field not declared in schema'],
  [{ tags: ['a', 'a'] }, '.spec.tags: duplicate entries for key [="a"]'],
  [{ tags: [null] }, ".spec.tags: element 0: associative list without keys has an element that's an explicit null"],
  [{ ports: ['x'] }, '.spec.ports: element 0: associative list with keys may not have non-map elements'],
  [
    { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] },
    '.spec.ports: duplicate entries for key [port=1,protocol="TCP"]',
  ],
  [{ steps: ['a', 1] }, '.spec.steps[1]: expected string, got &value.valueUnstructured{Value:1}'],
  [
    { size: 1, replicas: 'x' },
    'errors:\n  .spec.size: expected string, got &value.valueUnstructured{Value:1}\n  .spec.replicas: expected numeric (int or float), got string',
  ],
];

test.each(wrong)('checkType() refuses %j', (spec, message) => {
  expect(() => checkType(someKind.type, { ...nothing, spec }, 'refused')).toThrow(new Error(message).message);
});

test('checkType() lets nulls pass, anything where anything goes, and twice the same where it is stored', () => {
  const spec = { size: null, tags: null, nested: null, free: { a: [1, { b: null }] } };
  expect(() => checkType(someKind.type, { ...nothing, spec }, 'refused')).not.toThrow();
  expect(() => checkType(someKind.type, { ...nothing, spec: { tags: ['a', 'a'] } }, 'allowed')).not.toThrow();
});
