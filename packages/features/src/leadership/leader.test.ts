import fc from 'fast-check';
import { expect, test } from 'vitest';
import { candidatesOf, leaderOf } from './leader.js';

const names = Array.from({ length: 400 }, (_, index) => ({ namespace: 'kube-system', name: `gate-${index}` }));
const holders = fc.uniqueArray(fc.stringMatching(/^[a-f0-9]{4,12}$/), { minLength: 1, maxLength: 6 });

test('leaderOf() gives everybody the same leader, in whatever order servers were seen', () => {
  fc.assert(
    fc.property(holders, fc.nat(399), (servers, index) => {
      const ref = names[index] ?? { name: '' };
      expect(leaderOf([...servers].reverse(), ref)).toBe(leaderOf(servers, ref));
    }),
  );
});

test('leaderOf() moves to one server more its share of Features, and none between the others', () => {
  fc.assert(
    fc.property(holders, fc.constant('the-new-one'), (servers, added) => {
      const moved = names.filter((ref) => leaderOf([...servers, added], ref) !== leaderOf(servers, ref));
      for (const ref of moved) expect(leaderOf([...servers, added], ref)).toBe(added);
      const share = names.length / (servers.length + 1);
      expect(moved.length).toBeGreaterThan(share / 2);
      expect(moved.length).toBeLessThan(share * 2);
    }),
    { numRuns: 30 },
  );
});

test('leaderOf() is undefined without candidates', () => {
  expect(leaderOf([], { name: 'x' })).toBeUndefined();
});

test('candidatesOf() are the newest servers only', () => {
  const server = (holder: string, version: string) => ({ holder, version, catalogue: '1.37', known: '' });
  const servers = [server('a', '0.9.2'), server('b', '0.10.0'), server('c', '0.10.0')];
  expect(candidatesOf(servers)).toEqual(['b', 'c']);
  expect(candidatesOf(servers.slice(0, 1))).toEqual(['a']);
});
