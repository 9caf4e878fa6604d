import fc from 'fast-check';
import { expect, test } from 'vitest';
import { warningHeaders } from './warning-header.js';

const lengths = (headers: readonly string[]) => headers.map((header) => header.length - '299 - ""'.length);

// lengths of the warnings | lengths as they are sent
test.each([
  [[], []],
  [
    [10, 4_086],
    [10, 4_086],
  ],
  [
    [10, 4_087],
    [10, 256],
  ],
  [[5_000], [256]],
  [
    [300, 300, 100, 4_000],
    [256, 256, 100, 256],
  ],
  [new Array(40).fill(300), new Array(16).fill(256)],
])('warningHeaders() of texts of %j characters are of %j', (texts, sent) => {
  expect(lengths(warningHeaders(texts.map((length: number) => 'x'.repeat(length))))).toEqual(sent);
});

test('warningHeaders() of any warnings begin as the warnings do, and are never too many characters', () => {
  const text = fc.oneof(fc.string(), fc.string({ minLength: 200, maxLength: 2_000 }), fc.constant('ä😀'.repeat(500)));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 40 }), (texts) => {
      const sent = warningHeaders(texts).map((header) => Buffer.from(header, 'latin1').toString().slice(7, -1));
      const quoted = texts.map((one) => one.replaceAll('\\', '\\\\').replaceAll('"', '\\"'));
      expect(sent.reduce((sum, one) => sum + [...one.replaceAll(/\\(.)/g, '$1')].length, 0)).toBeLessThan(4_096 + 257);
      let from = 0;
      for (const one of sent) {
        from = quoted.findIndex((whole, at) => at >= from && whole.startsWith(one)) + 1;
        expect(from).toBeGreaterThan(0);
      }
    }),
  );
});
