import { expect, test } from 'vitest';
import { mapConcurrently } from './map-concurrently.js';

test('mapConcurrently() begins the items in order, at most `limit` at a time, and keeps their order', async () => {
  const story: string[] = [];
  let running = 0;
  let most = 0;
  const results = await mapConcurrently([1, 2, 3, 4, 5], 2, async (item) => {
    most = Math.max(most, ++running);
    story.push(`${item}`);
    await Promise.resolve();
    if (item === 1) await Promise.resolve();
    running--;
    return item * 10;
  });
  expect([story.join(' '), most]).toEqual(['1 2 3 4 5', 2]);
  expect(results).toEqual([10, 20, 30, 40, 50]);
  await mapConcurrently([], 2, async () => expect.unreachable());
});

test('mapConcurrently() begins no other item after a failure, and rejects once the calls under way have settled', async () => {
  const begun: number[] = [];
  const failing = mapConcurrently([1, 2, 3, 4], 1, async (item) => {
    begun.push(item);
    if (item === 2) throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(begun).toEqual([1, 2]);

  let isSettled = false;
  const both = mapConcurrently(['fails', 'settles'], 2, async (item) => {
    if (item === 'fails') throw new Error('no');
    await new Promise((resolve) => setImmediate(resolve));
    isSettled = true;
  });
  await expect(both).rejects.toThrow('no');
  expect(isSettled).toBe(true);
});
