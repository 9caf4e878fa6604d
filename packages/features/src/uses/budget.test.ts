import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Budget } from './budget.js';

const step = fc.record({
  namespace: fc.constantFrom('a', 'b'),
  name: fc.constantFrom('1', '2', '3', '4', '5', '6'),
  isDeleted: fc.boolean(),
});

test('Budget holds at most its limit of each namespace, first come first held, and fills room that becomes free', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const budget = new Budget(() => 3);
      const present = { a: [] as string[], b: [] as string[] };
      const held = { a: new Set<string>(), b: new Set<string>() };
      for (const { namespace, name, isDeleted } of steps) {
        const of = namespace as 'a' | 'b';
        if (isDeleted) {
          held[of].delete(name);
          present[of] = present[of].filter((one) => one !== name);
          for (const next of budget.release(of, name)) if (budget.take(of, next)) held[of].add(next);
        } else {
          const was = held[of].has(name);
          if (!present[of].includes(name)) present[of].push(name);
          const isHeld = budget.take(of, name);
          expect(isHeld).toBe(was || held[of].size < 3);
          if (isHeld) held[of].add(name);
        }
        for (const each of ['a', 'b'] as const) {
          expect(held[each].size).toBe(Math.min(3, present[each].length));
          expect([...budget.excess(each)].sort()).toEqual(present[each].filter((one) => !held[each].has(one)).sort());
        }
      }
      const exceeding = Object.entries(present).filter(([, names]) => names.length > 3);
      expect([...budget.exceeding()].sort()).toEqual(exceeding.map(([each, names]) => [each, names.length - 3]).sort());
    }),
  );
});
