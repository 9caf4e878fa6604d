import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Deflaters } from './deflaters.js';
import { windowBits } from './off-heap-text.js';

test('each text is whole by itself, whatever was deflated before it and against what', async () => {
  const text = fc.record({
    example: fc.nat({ max: 40 }),
    length: fc.oneof(fc.nat({ max: 5_000 }), fc.integer({ min: 250_000, max: 400_000 })),
    rest: fc.boolean(),
  });
  const examples = Array.from({ length: 41 }, (_, at) =>
    Buffer.from(`${at} is the number of this example. `.repeat(at)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 40 }), async (texts) => {
      const deflaters = new Deflaters();
      for (const { example: at, length, rest } of texts) {
        const dictionary = examples[at] as Buffer;
        const plain = Buffer.from(`${at} is the number of this example; so are ${length}. `.padEnd(length, String(at)));
        const deflated = await deflaters.deflate(plain, dictionary);
        expect(inflateRawSync(deflated, { windowBits, dictionary }).equals(plain)).toBe(true);
        if (rest) deflaters.rest();
      }
      deflaters.rest();
    }),
    { numRuns: 40 },
  );
});

test('what is like its example takes little room', async () => {
  const example = Buffer.from(
    JSON.stringify({ kind: 'Pod', metadata: { name: 'a', labels: { app: 'web' } } }).repeat(9),
  );
  const deflaters = new Deflaters();
  const deflated = await deflaters.deflate(Buffer.from(example.toString().replaceAll('"a"', '"b"')), example);
  expect(deflated.length).toBeLessThan(example.length / 10);
  deflaters.rest();
});
