import { expect, test } from 'vitest';
import { fieldOf, type UsedField } from '../references/used-field.js';
import { usesIt } from './usage-expression.js';

// path | default | expression
test.each([
  ['spec.a', undefined, 'object.?spec.?a.hasValue()'],
  ['spec.a', 1, 'object.?spec.?a.hasValue() && object.?spec.?a.value() != 1'],
  ['spec.a', "it's", "object.?spec.?a.hasValue() && object.?spec.?a.value() != 'it\\'s'"],
  ['spec.a', { b: [true] }, "object.?spec.?a.hasValue() && object.?spec.?a.value() != {'b': [true]}"],
  ['spec.a[*]', 2.5, 'object.?spec.?a.orValue([]).exists(v0, v0 != 2.5)'],
  ['spec.a[*].b', 'x', "object.?spec.?a.orValue([]).exists(v0, v0.?b.hasValue() && v0.?b.value() != 'x')"],
])('usesIt() of %s with default %j', (path, defaultValue, expression) => {
  expect(usesIt('object', fieldOf({ path, default: defaultValue }) as UsedField)).toBe(expression);
});
