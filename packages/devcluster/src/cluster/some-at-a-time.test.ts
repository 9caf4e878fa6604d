import { expect, test } from 'vitest';
import { someAtATime } from './some-at-a-time.js';

test('someAtATime() does all, in order, and never more at a time than it may', async () => {
  const story: string[] = [];
  let running = 0;
  let most = 0;
  await someAtATime([1, 2, 3, 4, 5], 2, async (item) => {
    most = Math.max(most, ++running);
    story.push(`${item}`);
    await Promise.resolve();
    running--;
  });
  expect([story.join(' '), most]).toEqual(['1 2 3 4 5', 2]);
  await someAtATime([], 2, async () => expect.unreachable());
});

test('someAtATime() begins nothing more once something failed', async () => {
  const begun: number[] = [];
  const failing = someAtATime([1, 2, 3, 4], 1, async (item) => {
    begun.push(item);
    if (item === 2) throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(begun).toEqual([1, 2]);
});
