import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canaryBucket, covers } from './canary-rules.js';
import { readPublished } from './published.js';

const gate = fc.stringMatching(/^[A-Z][A-Za-z]{0,20}$/);
const member = fc.record({ instance: fc.string(), node: fc.option(fc.string(), { nil: undefined }) });

test('canaryBucket() is the documented hash', () => {
  // printf 'FastPath\nn1' | sha256sum | cut -c1-8, as a number modulo 10,000.
  expect(canaryBucket('FastPath', { instance: 'pod-1', node: 'n1' })).toBe(159);
  expect(canaryBucket('FastPath', { instance: 'n1' })).toBe(159);
});

test('covers(): a process in a share is in every larger one', () => {
  const percent = fc.double({ min: 0, max: 100, noNaN: true });
  fc.assert(
    fc.property(gate, member, percent, percent, (name, process, a, b) => {
      const [small, large] = [Math.min(a, b), Math.max(a, b)];
      const isIn = (share: number) => covers({ percent: share, value: true }, name, process);
      expect(!isIn(small) || isIn(large)).toBe(true);
    }),
  );
});

test('covers(): no process is in 0 %, every process in 100 %', () => {
  fc.assert(
    fc.property(gate, member, (name, process) => {
      const isIn = (percent: number) => covers({ percent, value: true }, name, process);
      expect([isIn(0), isIn(100)]).toEqual([false, true]);
    }),
  );
});

test('covers(): a share holds about as many processes as it says', () => {
  const nodes = Array.from({ length: 10_000 }, (_, index) => ({ instance: `node-${index}` }));
  for (const percent of [1, 10, 50]) {
    const share = nodes.filter((node) => covers({ percent, value: true }, 'FastPath', node)).length / 100;
    expect(Math.abs(share - percent)).toBeLessThan(percent * 0.2);
  }
});

test('covers(): a selector wants all of its labels, and an empty one covers none', () => {
  const process = { instance: 'n1', labels: { zone: 'a', pool: 'blue' } };
  const isIn = (matchLabels: Record<string, string>) =>
    covers({ selector: { matchLabels }, value: true }, 'FastPath', process);
  expect([isIn({ zone: 'a' }), isIn({ zone: 'a', pool: 'red' }), isIn({})]).toEqual([true, false, false]);
});

// rules | what n1 in zone a takes of a published false
test.each<[unknown, boolean | undefined]>([
  [[{ percent: 100, value: true }], true],
  [[{ percent: 0, value: true }], false],
  [
    [
      { percent: 0, value: true },
      { selector: { matchLabels: { zone: 'a' } }, value: true },
    ],
    true,
  ],
  [
    [
      { selector: { matchLabels: { zone: 'a' } }, value: true },
      { percent: 100, value: false },
    ],
    true,
  ],
  [[{ percent: 100, value: 'yes' }], undefined],
  [[{ percent: 100, selector: { matchLabels: { zone: 'a' } }, value: true }], undefined],
  [[{ selector: { matchExpressions: [] }, value: true }], undefined],
  ['50%', undefined],
  [null, false],
])('readPublished() with the rules %j gives %j', (rules, value) => {
  const feature = { spec: { gate: 'FastPath' }, status: { published: { value: false, epoch: 1, rules } } };
  const read = readPublished(feature, { component: 'agent', instance: 'n1', labels: { zone: 'a' } });
  expect(read?.published).toEqual(value === undefined ? undefined : { value, epoch: 1 });
});
