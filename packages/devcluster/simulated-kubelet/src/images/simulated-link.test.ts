import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { SimulatedLink } from './simulated-link.js';

/** Downloads in KiB and when they begin, over a link of 100 KiB/s; when each ends, in milliseconds. */
async function ends(
  downloads: readonly { readonly kib: number; readonly fromMs: number; readonly abortMs?: number }[],
) {
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
const cases: [string, { kib: number; fromMs: number; abortMs?: number }[], (number | string)[]][] = [
  ['one alone', [{ kib: 100, fromMs: 0 }], [1000]],
  [
    'two at once share the link',
    [
      { kib: 100, fromMs: 0 },
      { kib: 100, fromMs: 0 },
    ],
    [2000, 2000],
  ],
  [
    'a small one beside a large one',
    [
      { kib: 300, fromMs: 0 },
      { kib: 100, fromMs: 0 },
    ],
    [4000, 2000],
  ],
  [
    'one that comes later',
    [
      { kib: 100, fromMs: 0 },
      { kib: 100, fromMs: 500 },
    ],
    [1500, 2000],
  ],
  [
    'one that is given up leaves the link to the other',
    [
      { kib: 200, fromMs: 0 },
      { kib: 900, fromMs: 0, abortMs: 1000 },
    ],
    [2500, 'gone'],
  ],
];

test.each(cases)('SimulatedLink: %s', async (_what, downloads, expected) => {
  const close = (await ends(downloads)).map((each) => (typeof each === 'number' ? Math.round(each / 50) * 50 : each));
  expect(close).toEqual(expected);
});
