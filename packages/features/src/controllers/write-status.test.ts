import fc from 'fast-check';
import { expect, test } from 'vitest';
import { difference } from './write-status.js';

/** RFC 7386, for objects. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

test('difference() is the merge patch that makes one value of the other', () => {
  const leaf = fc.oneof(
    fc.integer({ max: 3, min: 0 }),
    fc.constantFrom('a', 'b'),
    fc.array(fc.integer({ max: 2, min: 0 })),
  );
  const key = fc.constantFrom('k', 'l', 'm');
  const object = fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf)))));
  fc.assert(
    fc.property(object, object, (before, after) => {
      expect(merged(before, difference(before, after))).toEqual(after);
      expect(difference(after, after)).toEqual({});
    }),
  );
});
