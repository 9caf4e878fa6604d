import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '../clock/clock.js';
import { ManualClock } from '../testing/manual-clock.js';
import { WorkQueue } from './work-queue.js';

function setUp(options: { failuresPerSecond?: number; failureBurst?: number } = {}) {
  const clock = new ManualClock();
  return { clock, queue: new WorkQueue<string>({ clock, ...options }) };
}

test('WorkQueue hands out keys in order, each once however often it was added', async () => {
  const { queue } = setUp();
  for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key);
  expect(queue.length).toBe(3);
  expect([await queue.get(), await queue.get(), await queue.get()]).toEqual(['a', 'b', 'c']);
});

test('WorkQueue gives a key added during its work again after done()', async () => {
  const { queue } = setUp();
  queue.add('a');
  expect(await queue.get()).toBe('a');
  queue.add('a');
  expect(queue.length).toBe(0);
  queue.done('a');
  expect(await queue.get()).toBe('a');
  queue.done('a');
  expect(queue.length).toBe(0);
});

test('WorkQueue.addRateLimited() waits longer after each failure, up to a minute, until forget()', async () => {
  const { clock, queue } = setUp();
  const waits: (number | undefined)[] = [];
  for (let failure = 0; failure < 16; failure++) {
    queue.addRateLimited('a');
    const waitMs = clock.nextTimerMs();
    waits.push(waitMs);
    await clock.advance(waitMs ?? 0);
    queue.done((await queue.get()) ?? '');
  }
  expect(waits.slice(0, 5)).toEqual([5, 10, 20, 40, 80]);
  expect(waits.slice(-2)).toEqual([60_000, 60_000]);
  queue.forget('a');
  queue.addRateLimited('a');
  expect(clock.nextTimerMs()).toBe(5);
});

test('WorkQueue spreads the failures of many keys over time', async () => {
  const { clock, queue } = setUp({ failuresPerSecond: 10, failureBurst: 2 });
  for (const key of ['a', 'b', 'c', 'd']) queue.addRateLimited(key);
  await clock.advance(5);
  expect(queue.length).toBe(2);
  await clock.advance(95);
  expect(queue.length).toBe(3);
  await clock.advance(100);
  expect(queue.length).toBe(4);
});

test('WorkQueue.addAfter() keeps the soonest of several appointments', async () => {
  const { clock, queue } = setUp();
  queue.addAfter('a', 100);
  queue.addAfter('a', 50);
  queue.addAfter('a', 200);
  await clock.advance(50);
  expect(await queue.get()).toBe('a');
  queue.done('a');
  await clock.advance(1000);
  expect(queue.length).toBe(0);
});

test('WorkQueue.done() lets a key rest: what is added meanwhile comes once, when it has rested', async () => {
  const { clock, queue } = setUp();
  queue.add('a');
  queue.done((await queue.get()) ?? '', 100);
  queue.add('a');
  queue.add('b');
  queue.add('a');
  expect([queue.length, await queue.get()]).toEqual([1, 'b']);
  await clock.advance(99);
  expect(queue.length).toBe(0);
  await clock.advance(1);
  expect([queue.length, await queue.get()]).toEqual([1, 'a']);
});

test('WorkQueue.get() gives up when the queue is shut down, keys that rest included', async () => {
  const { clock, queue } = setUp();
  queue.add('a');
  queue.done((await queue.get()) ?? '', 100);
  queue.add('a');
  const shut = queue.get();
  queue.shutDown();
  expect(await shut).toBeUndefined();
  expect(clock.nextTimerMs()).toBeUndefined();
  queue.add('a');
  expect(await queue.get()).toBeUndefined();
});

test('WorkQueue.get() yields to the event loop: workers that queue keys for each other do not block the process', async () => {
  const queue = new WorkQueue<string>({ clock: systemClock });
  const work = async (own: string, other: string) => {
    queue.add(own);
    for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
      queue.add(other);
      queue.done(key);
    }
  };
  const working = Promise.all([work('a', 'b'), work('b', 'a')]);
  await new Promise((resolve) => setTimeout(resolve, 0));
  queue.shutDown();
  await working;
});

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), key: fc.constantFrom('a', 'b', 'c') }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('addRateLimited' as const), key: fc.constantFrom('a', 'b', 'c') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('addAfter' as const),
      key: fc.constantFrom('a', 'b', 'c'),
      ms: fc.nat({ max: 200 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat({ max: 100 }) }) },
);

test('WorkQueue, any story: no key is worked on twice at once, and every add is followed by work that starts later', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 80, size: 'max' }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 20 }),
      fc.constantFrom(0, 0, 15),
      async (story, workers, workMs, restMs) => {
        const { clock, queue } = setUp();
        const working = new Set<string>();
        /** Keys added since their last work started. */
        const owed = new Set<string>();
        let turn = 0;
        const work = async () => {
          for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
            expect(working.has(key)).toBe(false);
            working.add(key);
            owed.delete(key);
            const lastsMs = workMs[turn++ % workMs.length] ?? 0;
            if (lastsMs > 0) await new Promise<void>((resolve) => clock.after(lastsMs, resolve));
            working.delete(key);
            queue.done(key, restMs);
          }
        };
        const all = Promise.all(Array.from({ length: workers }, work));
        for (const each of story) {
          if (each.kind === 'pass') {
            await clock.advance(each.ms);
            continue;
          }
          if (each.kind === 'add') queue.add(each.key);
          if (each.kind === 'addAfter') queue.addAfter(each.key, each.ms);
          if (each.kind === 'addRateLimited') queue.addRateLimited(each.key);
          owed.add(each.key);
        }
        await clock.advance(120_000);
        expect([...owed]).toEqual([]);
        queue.shutDown();
        await all;
      },
    ),
    { numRuns: 150 },
  );
});
