import { expect, test } from 'vitest';
import { type HeapAim, HeapPolicy } from './heap-policy.js';

const fast: HeapAim = { small: false, collect: false };
const small: HeapAim = { small: true, collect: false };
const collecting: HeapAim = { small: true, collect: true };

test('a process that starts is to be fast, and small once it has rested for five seconds', () => {
  const policy = new HeapPolicy();
  expect(looks(policy, 49, 0.05)).toEqual(Array(49).fill(fast));
  expect(policy.look(0.05)).toEqual(collecting);
});

test('while it rests it is collected at once, and twice more', () => {
  const policy = resting();
  const began = looks(policy, 300, 0.05).flatMap(({ collect }, at, all) =>
    collect && !all[at - 1]?.collect ? [at] : [],
  );
  expect(began).toEqual([0, 49, 149]);
  expect(policy.look(0.05)).toEqual(small);
});

test('work makes it fast again, one collection does not', () => {
  const policy = resting();
  expect(looks(policy, 3, 0.9).at(-1)).toEqual(fast);
  const other = resting();
  for (let collection = 0; collection < 10; collection += 1) {
    expect(looks(other, 2, 0.9).at(-1)?.small).toBe(true);
    expect(other.look(0.3).small).toBe(true);
  }
});

test('a little work now and then puts off the rest', () => {
  const policy = new HeapPolicy();
  for (let second = 0; second < 20; second += 1) {
    looks(policy, 9, 0.01);
    expect(policy.look(0.25)).toEqual(fast);
  }
});

test('each rest begins with a collection', () => {
  const policy = resting();
  looks(policy, 300, 0);
  looks(policy, 10, 1);
  expect(looks(policy, 50, 0).at(-1)).toEqual(collecting);
});

/** A policy that has just begun to aim at a small heap. */
function resting(): HeapPolicy {
  const policy = new HeapPolicy();
  looks(policy, 50, 0);
  return policy;
}

function looks(policy: HeapPolicy, count: number, utilization: number): HeapAim[] {
  return Array.from({ length: count }, () => policy.look(utilization));
}
