import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { yieldToEventLoop } from './yield-to-event-loop.js';

test('yieldToEventLoop() resolves after timers and input that are due, at whatever point of a tick it is called', async () => {
  const { there, here } = await aConnection();
  const order: string[] = [];
  const asked = new Promise<void>((resolve) => {
    here.once('data', () => {
      // Due after a millisecond, which this turn lasts longer than.
      setTimeout(() => order.push('timer'), 0);
      const until = performance.now() + 3;
      while (performance.now() < until);
      void yieldToEventLoop().then(() => {
        order.push('after');
        resolve();
      });
    });
  });
  there.write('now');
  await asked;
  expect(order).toEqual(['timer', 'after']);
});

async function aConnection() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const there = connect((server.address() as { port: number }).port, '127.0.0.1');
  const [here] = await once(server, 'connection');
  onTestFinished(() => {
    there.destroy();
    here.destroy();
    server.close();
  });
  return { there, here };
}
