import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Condition } from '../transport/objects.js';
import { findCondition, isConditionTrue, setCondition } from './conditions.js';

const at = (second: number) => Date.UTC(2026, 0, 1, 0, 0, second);
const ready = (status: Condition['status'], message = '') => ({ type: 'Ready', status, reason: 'Because', message });

test('setCondition() keeps lastTransitionTime until the status changes', () => {
  const first = setCondition(undefined, ready('False'), at(1));
  const second = setCondition(first, ready('False', 'still'), at(2));
  const third = setCondition(second, ready('True'), at(3));
  expect([first, second, third].map((each) => each[0]?.lastTransitionTime)).toEqual([
    '2026-01-01T00:00:01Z',
    '2026-01-01T00:00:01Z',
    '2026-01-01T00:00:03Z',
  ]);
  expect(second[0]?.message).toBe('still');
  expect(isConditionTrue(third, 'Ready')).toBe(true);
  expect(isConditionTrue(third, 'Other')).toBe(false);
});

test('setCondition(), any story: one condition of each type, in the order they came, inputs unchanged', () => {
  const story = fc.array(
    fc.record({
      type: fc.constantFrom('A', 'B', 'C'),
      status: fc.constantFrom('True', 'False', 'Unknown') as fc.Arbitrary<Condition['status']>,
    }),
  );
  fc.assert(
    fc.property(story, (steps) => {
      let conditions: readonly Condition[] = [];
      const order: string[] = [];
      for (const [index, { type, status }] of steps.entries()) {
        const before = Object.freeze([...conditions]);
        const known = findCondition(before, type);
        conditions = setCondition(before, { type, status, reason: 'R', message: '' }, at(index));
        if (!known) order.push(type);
        const changed = known?.status !== status;
        expect(findCondition(conditions, type)?.lastTransitionTime === known?.lastTransitionTime).toBe(!changed);
      }
      expect(conditions.map(({ type }) => type)).toEqual(order);
    }),
  );
});
