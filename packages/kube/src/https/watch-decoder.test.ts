import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WatchFrame } from '../transport/transport.js';
import { WatchDecoder } from './watch-decoder.js';

const frame = fc.record({
  type: fc.constantFrom('ADDED' as const, 'MODIFIED' as const),
  object: fc.record({
    apiVersion: fc.constant('v1'),
    kind: fc.constant('Pod'),
    metadata: fc.record({ name: fc.string({ unit: 'grapheme' }), resourceVersion: fc.nat().map(String) }),
  }),
});

test('WatchDecoder reads the same frames however the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(frame), fc.array(fc.nat(), { maxLength: 20 }), (frames, cuts) => {
      const bytes = Buffer.from(frames.map((each) => `${JSON.stringify(each)}\n`).join(''));
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
      const decoder = new WatchDecoder();
      const read: WatchFrame[] = places.flatMap((end, at) => decoder.push(bytes.subarray(places[at - 1] ?? 0, end)));
      expect(read).toEqual(frames);
      expect(decoder.isAmidFrame).toBe(false);
    }),
  );
});

// bytes | what is said of them
const garbage: [string, RegExp][] = [
  ['<html>\n', /is not JSON: <html>/],
  ['{"type":"ADDED"\n', /is not JSON/],
  ['{"type":"ADDED"}\n', /has no type or object/],
  ['[]\n', /has no type or object/],
  ['null\n', /has no type or object/],
];

test.each(garbage)('WatchDecoder refuses %j', (bytes, message) => {
  expect(() => new WatchDecoder().push(Buffer.from(bytes))).toThrow(message);
});

test('WatchDecoder passes over empty lines and knows when it ended within a frame', () => {
  const decoder = new WatchDecoder();
  expect(decoder.push(Buffer.from('\n\r\n{"type"'))).toEqual([]);
  expect(decoder.isAmidFrame).toBe(true);
});
