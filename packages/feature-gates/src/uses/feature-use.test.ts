import fc from 'fast-check';
import { expect, test } from 'vitest';
import { featureUseName, shortApplyErrors } from './feature-use.js';

test.each([
  ['kube-scheduler', 'node-1', /^kube-scheduler\.node-1$/],
  ['Operator', 'Pod_1', /^operator\.pod-1-[0-9a-f]{8}$/],
  ['a'.repeat(200), 'b'.repeat(60), /^a{200}\.b{43}-[0-9a-f]{8}$/],
  ['a', '-', /^a-[0-9a-f]{8}$/],
])('featureUseName(%s, %s) is a name', (component, instance, name) => {
  expect(featureUseName(component, instance)).toMatch(name);
});

test('featureUseName() is always a valid object name, and another for other processes', () => {
  const text = fc.string({ minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(text, text, text, (component, instance, other) => {
      const name = featureUseName(component, instance);
      expect(name).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
      expect(name.length).toBeLessThanOrEqual(253);
      if (other !== instance) expect(featureUseName(component, other)).not.toBe(name);
    }),
  );
});

test('shortApplyErrors() keeps a report small', () => {
  const errors = Array.from({ length: 9 }, () => ({ gate: 'G', message: 'x'.repeat(9_000) }));
  expect(JSON.stringify(shortApplyErrors(errors)).length).toBeLessThan(400);
  expect(shortApplyErrors([])).toBeUndefined();
});
