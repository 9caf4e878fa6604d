import { expect, test } from 'vitest';
import { endOfTurn } from './end-of-turn.js';

test('who waits for the end of a turn comes after its input, in order, and before others have their turn', async () => {
  const order: string[] = [];
  const wait = async (name: string) => {
    await endOfTurn();
    order.push(name);
  };
  const first = wait('first');
  const between = Promise.resolve().then(() => order.push('input'));
  const second = wait('second');
  const later = new Promise<void>((resolve) => setImmediate(() => resolve(void order.push('next turn'))));
  await Promise.all([first, between, second, later]);
  expect(order).toEqual(['input', 'first', 'second', 'next turn']);
});
