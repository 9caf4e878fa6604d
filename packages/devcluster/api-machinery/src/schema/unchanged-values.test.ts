import { cloneJson, sameJson } from '@slipway/kube';
import { cpuMsOf } from '@slipway/kube/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UnchangedValues } from './unchanged-values.js';

test('UnchangedValues says which JSON values are equal, asked once or again', () => {
  const some = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.object({
      key: fc.constantFrom('a', 'b', '__proto__'),
      values: [fc.boolean(), fc.integer(), fc.string(), fc.constant(null)],
    }),
  );
  fc.assert(
    fc.property(some, some, (one, other) => {
      const unchanged = new UnchangedValues();
      for (const [value, old] of [
        [one, cloneJson(one)],
        [one, other],
        [other, one],
      ]) {
        expect(unchanged.has(value, old)).toBe(sameJson(value, old));
        expect(unchanged.has(value, old)).toBe(sameJson(value, old));
      }
    }),
  );
});

test('UnchangedValues compares a deep object once, not once for each level', async () => {
  const deep = (end: number) => {
    let value: Record<string, unknown> = { end };
    for (let depth = 0; depth < 500; depth++) {
      value = { siblings: Array.from({ length: 100 }, (_, index) => index), value };
    }
    return value;
  };
  const [value, old] = [deep(1), deep(2)];
  const tookMs = await cpuMsOf(() => {
    const unchanged = new UnchangedValues();
    let [at, before] = [value, old] as [Record<string, unknown> | undefined, Record<string, unknown> | undefined];
    for (; at && before; [at, before] = [at.value, before.value] as [typeof at, typeof before]) {
      expect(unchanged.has(at, before)).toBe(false);
    }
  });
  expect(tookMs).toBeLessThan(2_000);
});
