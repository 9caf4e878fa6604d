import { deflateRawSync } from 'node:zlib';
import { ManualClock } from '@slipway/kube/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Deflate } from './deflaters.js';
import { OffHeapText, windowBits } from './off-heap-text.js';
import { OffHeapTexts } from './off-heap-texts.js';
import type { EncodedText } from './store.js';

class Text extends OffHeapText {
  readonly kindOfText: string;

  constructor(kind: string, text: string) {
    super(text);
    this.kindOfText = kind;
  }
}

/** Deflates in the time of the clock that the tests turn. */
const atOnce: Deflate = {
  deflate: async (text, dictionary) => deflateRawSync(text, { windowBits, dictionary }),
  rest: () => {},
};

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 2_000 }),
  fc.nat({ max: 300_000 }).map((length) => 'pod '.repeat(length / 4)),
  fc.nat().map((number) => JSON.stringify({ kind: 'Pod', metadata: { name: `p${number}` }, rest: 'é'.repeat(800) })),
);

test('a text is read as it was, whenever and however often', async () => {
  const step = fc.oneof(
    fc.record({ keep: anyText, kind: fc.constantFrom('pods', 'events') }),
    fc.record({ read: fc.nat(), how: fc.constantFrom('read' as const, 'peek' as const, 'encoded' as const) }),
    fc.record({ waitMs: fc.nat({ max: 20_000 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const clock = new ManualClock();
      const texts = new OffHeapTexts(clock, atOnce);
      const kept: { text: Text; is: string }[] = [];
      for (const each of steps) {
        if ('keep' in each) {
          const text = new Text(each.kind, each.keep);
          texts.keep(text);
          kept.push({ text, is: each.keep });
        } else if ('read' in each) {
          const one = kept[each.read % kept.length];
          expect(one && stringOf(one.text[each.how]())).toBe(one?.is);
        } else await clock.advance(each.waitMs);
      }
      texts.close();
      for (const { text, is } of kept) {
        expect(text.read()).toBe(is);
        expect(text.size).toBe(is.length);
      }
    }),
    { numRuns: 60 },
  );
});

function stringOf(text: string | EncodedText): string {
  return typeof text === 'string' ? text : text.bytes.toString('utf8', text.start, text.end);
}

test('an empty text leaves those beside it alone', async () => {
  const clock = new ManualClock();
  const texts = new OffHeapTexts(clock, atOnce);
  const [long, empty] = [new Text('pods', 'pod '.repeat(70_000)), new Text('pods', '')];
  for (const text of [long, empty]) texts.keep(text);
  expect(empty.read()).toBe('');
  await clock.advance(10_000);
  expect(long.read()).toBe('pod '.repeat(70_000));
});

test('what nobody reads takes a tenth of what it took, and what is read stays as it is', async () => {
  const clock = new ManualClock();
  const texts = new OffHeapTexts(clock, atOnce);
  const pods = Array.from({ length: 2_000 }, (_, number) => new Text('pods', aPod(number)));
  for (const pod of pods) texts.keep(pod);
  const plain = texts.plainBytes;
  expect(plain).toBeGreaterThan(pods.length * aPod(0).length);
  for (let look = 0; look < 20; look += 1) {
    await clock.advance(2_000);
    pods[7]?.read();
  }
  const bytesOf = (pod?: Text) => (pod?.inSlab ? pod.inSlab.end - pod.inSlab.start : 0);
  const [hot, resting] = [bytesOf(pods[7]), bytesOf(pods[8])];
  expect(hot).toBe(aPod(7).length);
  expect(resting).toBeLessThan(aPod(8).length / 10);
  expect(texts.plainBytes).toBeLessThan(plain / 5);
  expect(pods.map((pod) => pod.peek())).toEqual(pods.map((_, number) => aPod(number)));
});

function aPod(number: number): string {
  const conditions = ['Ready', 'Initialized', 'ContainersReady', 'PodScheduled'].map((type) => ({
    type,
    status: 'True',
  }));
  const status = { phase: 'Running', podIP: `10.0.${number >> 8}.${number & 255}`, conditions };
  const metadata = { name: `p${number}`, uid: `${number * 7_919}`, resourceVersion: String(number) };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: { containers: [{ name: 'main' }] },
    status,
  }).padEnd(2_000, '. ');
}
