import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readLines } from './read-lines.js';

test('readLines() receives the same lines, wherever the body is cut', async () => {
  const text = fc.array(fc.constantFrom('a', 'ä', '\u{1F600}', '\n', 'line'), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 5 }), async (words, size) => {
      const whole = words.join('');
      const bytes = new TextEncoder().encode(whole);
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
          controller.close();
        },
      });
      const received: string[] = [];
      await readLines(body, (line) => received.push(line));
      const lines = whole.split('\n');
      expect(received).toEqual(lines.at(-1) === '' ? lines.slice(0, -1) : lines);
    }),
  );
});
