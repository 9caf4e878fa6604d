import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { SimulatedLink } from './simulated-link.js';

/** A download of so many KiB, from when to when it is given up. */
const of = (kib: number, fromMs = 0, abortMs?: number) => ({ kib, fromMs, abortMs });

/** When downloads over a link of 100 KiB/s end, in milliseconds. */
async function ends(downloads: readonly ReturnType<typeof of>[]) {
  const clock = new ManualClock();
  const link = new SimulatedLink(clock, 100 * 1024);
  const startMs = clock.monotonicMs();
  const ended: (number | string)[] = [];
  downloads.forEach(({ kib, fromMs, abortMs }, index) => {
    const stop = new AbortController();
    if (abortMs !== undefined) clock.after(abortMs, () => stop.abort(new Error('gone')));
    clock.after(fromMs, () => {
      link.download(kib * 1024, stop.signal).then(
        () => {
          ended[index] = clock.monotonicMs() - startMs;
        },
        (error: Error) => {
          ended[index] = error.message;
        },
      );
    });
  });
  for (let ms = 0; ms < 10_000; ms += 50) await clock.advance(50);
  return ended;
}

// what | downloads | when they end
const cases: [string, ReturnType<typeof of>[], (number | string)[]][] = [
  ['one alone', [of(100)], [1000]],
  ['two at once share the link', [of(100), of(100)], [2000, 2000]],
  ['a small one beside a large one', [of(300), of(100)], [4000, 2000]],
  ['one that comes later', [of(100), of(100, 500)], [1500, 2000]],
  ['one that is given up leaves the link to the other', [of(200), of(900, 0, 1000)], [2500, 'gone']],
];

test.each(cases)('SimulatedLink: %s', async (_what, downloads, expected) => {
  const close = (await ends(downloads)).map((each) => (typeof each === 'number' ? Math.round(each / 50) * 50 : each));
  expect(close).toEqual(expected);
});
