import { expect, test } from 'vitest';
import { slowStart } from './slow-start.js';

test('slowStart() runs in batches that double', async () => {
  const batches: number[][] = [];
  let open: number[] = [];
  const result = await slowStart(10, async (index) => {
    open.push(index);
    await new Promise((resolve) => setImmediate(resolve));
    if (open.length > 0) batches.push(open);
    open = [];
  });
  expect(result).toEqual({ done: 10 });
  expect(batches).toEqual([[0], [1, 2], [3, 4, 5, 6], [7, 8, 9]]);
});

test('slowStart() starts no batch after a failure and says how many succeeded', async () => {
  const tried: number[] = [];
  const result = await slowStart(100, async (index) => {
    tried.push(index);
    if (index === 4) throw new Error('no quota');
  });
  expect(result).toEqual({ done: 6, error: new Error('no quota') });
  expect(tried).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test('slowStart() of nothing does nothing', async () => {
  expect(await slowStart(0, () => Promise.reject(new Error('never')))).toEqual({ done: 0 });
});

test('slowStart() begins a large batch in several turns, between which others have theirs', async () => {
  let turn = 0;
  let isDone = false;
  const next = () => {
    turn++;
    if (!isDone) setImmediate(next);
  };
  setImmediate(next);
  const begun = new Map<number, number>();
  const result = await slowStart(500, async () => {
    begun.set(turn, (begun.get(turn) ?? 0) + 1);
  });
  isDone = true;
  expect(result).toEqual({ done: 500 });
  expect(Math.max(...begun.values())).toBeLessThan(100);
});
