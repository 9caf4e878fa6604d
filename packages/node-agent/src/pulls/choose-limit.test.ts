import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PullLimit, PullLimitSpec } from '../api/pull-limit.js';
import { chooseLimit } from './choose-limit.js';

function aLimit(name: string, spec: Partial<PullLimitSpec> = {}, day = 1): PullLimit {
  const creationTimestamp = `2026-01-0${day}T00:00:00Z`;
  const kind = { apiVersion: 'pulls.slipway.dev/v1alpha1', kind: 'PullLimit' };
  return { ...kind, metadata: { name, creationTimestamp }, spec: { maxParallelImagePulling: 2, ...spec } };
}

const gpu = { nodeSelector: { matchLabels: { pool: 'gpu' } } };

// limits | labels of the node | the one that counts
test.each<[string, readonly PullLimit[], Record<string, string> | undefined, string | undefined]>([
  ['nothing without limits', [], { pool: 'gpu' }, undefined],
  ['one without a selector counts everywhere', [aLimit('all')], undefined, 'all'],
  ['an empty selector selects all', [aLimit('all', { nodeSelector: {} })], {}, 'all'],
  ['one for other nodes does not count', [aLimit('gpu', gpu)], { pool: 'cpu' }, undefined],
  ['the highest priority', [aLimit('a'), aLimit('b', { priority: 1 }, 2)], {}, 'b'],
  ['a negative priority is below the default', [aLimit('a', { priority: -1 }), aLimit('b')], {}, 'b'],
  ['then the oldest', [aLimit('a', {}, 2), aLimit('b', {}, 1)], {}, 'b'],
  ['then the name', [aLimit('b'), aLimit('a')], {}, 'a'],
  ['a higher one for other nodes does not count', [aLimit('all'), aLimit('gpu', { ...gpu, priority: 9 })], {}, 'all'],
  [
    'an invalid selector selects nothing',
    [aLimit('odd', { nodeSelector: { matchLabels: { '-': 'x' } } })],
    {},
    undefined,
  ],
])('chooseLimit(): %s', (_, limits, labels, name) => {
  expect(chooseLimit(limits, labels)?.metadata.name).toBe(name);
});

test('chooseLimit() does not depend on the order in which limits are listed', () => {
  const limit = fc.record({ priority: fc.integer({ min: -1, max: 1 }), day: fc.integer({ min: 1, max: 3 }) });
  fc.assert(
    fc.property(fc.array(limit, { minLength: 1, maxLength: 6 }), fc.infiniteStream(fc.nat()), (made, numbers) => {
      const limits = made.map(({ priority, day }, index) => aLimit(`l${index}`, { priority }, day));
      const shuffled = limits
        .map((one) => ({ one, key: numbers.next().value ?? 0 }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ one }) => one);
      expect(chooseLimit(shuffled, {})).toBe(chooseLimit(limits, {}));
    }),
  );
});
