import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatAmounts, parseAmounts, sum, within } from './amounts.js';
import { hostShares } from './host-shares.js';

const host = {
  capacity: parseAmounts({ cpu: '16', memory: '64Gi' }),
  reserve: parseAmounts({ cpu: '1', memory: '4Gi' }),
  granularity: parseAmounts({ cpu: '10m', memory: '16Mi' }),
};
const names = ['a', 'b', 'c', 'd'];

test('four equal kubelets on 16 cores and 64Gi, of which 1 and 4Gi are kept, have 3750m and 15Gi each', () => {
  const shares = hostShares({ ...host, members: names.map((node) => ({ node, weight: 1 })) });
  expect([...shares.values()].map(formatAmounts)).toEqual(names.map(() => ({ cpu: '3750m', memory: '15Gi' })));
});

test('twice the weight is twice the share', () => {
  const members = names.slice(0, 3).map((node) => ({ node, weight: node === 'a' ? 2 : 1 }));
  const shares = hostShares({ ...host, members });
  expect(formatAmounts(shares.get('a') ?? host.reserve)).toEqual({ cpu: '7500m', memory: '30Gi' });
  expect(formatAmounts(shares.get('b') ?? host.reserve)).toEqual({ cpu: '3750m', memory: '15Gi' });
});

test('shares never add up to more than the host has, and waste less than one step of it', () => {
  const members = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 100 });
  fc.assert(
    fc.property(members, (weights) => {
      const shares = hostShares({ ...host, members: weights.map((weight, at) => ({ node: `n${at}`, weight })) });
      const total = sum(shares.values());
      const shared = parseAmounts({ cpu: '15', memory: '60Gi' });
      expect(within(total, shared)).toBe(true);
      expect(shared.cpu - total.cpu).toBeLessThan(host.granularity.cpu);
      expect(shared.memory - total.memory).toBeLessThan(host.granularity.memory);
    }),
  );
});

test('a host that keeps more than it has gives nothing', () => {
  const shares = hostShares({
    ...host,
    reserve: parseAmounts({ cpu: '20', memory: '1Gi' }),
    members: [{ node: 'a', weight: 1 }],
  });
  expect(shares.get('a')?.cpu).toBe(0n);
});
