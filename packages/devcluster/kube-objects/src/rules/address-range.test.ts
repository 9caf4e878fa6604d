import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AddressRange } from './address-range.js';

// range | written as | addresses | first | last
const ranges = [
  ['10.96.0.0/16', '10.96.0.0/16', 65_534, '10.96.0.1', '10.96.255.254'],
  ['10.0.0.0/24', '10.0.0.0/24', 254, '10.0.0.1', '10.0.0.254'],
  ['192.168.7.9/30', '192.168.7.8/30', 2, '192.168.7.9', '192.168.7.10'],
  ['255.255.0.0/16', '255.255.0.0/16', 65_534, '255.255.0.1', '255.255.255.254'],
] as const;

test.each(ranges)('AddressRange %s', (cidr, written, count, first, last) => {
  const range = new AddressRange(cidr);
  expect([range.cidr, range.count, range.at(0), range.at(count - 1)]).toEqual([written, count, first, last]);
});

test.each(['', '10.0.0.0', '10.0.0.0/31', 'fd00::/108', '10.0.0/24'])('AddressRange rejects %j', (cidr) => {
  expect(() => new AddressRange(cidr)).toThrow(RangeError);
});

test('AddressRange includes its own addresses, and none of another range', () => {
  const byte = fc.integer({ min: 0, max: 255 });
  const address = fc.tuple(byte, byte, byte, byte).map((parts) => parts.join('.'));
  fc.assert(
    fc.property(address, fc.integer({ min: 1, max: 30 }), fc.nat(), (base, bits, draw) => {
      const range = new AddressRange(`${base}/${bits}`);
      expect(range.includes(base)).toBe(true);
      expect(range.includes(range.at(draw % range.count))).toBe(true);
      const [start = ''] = range.cidr.split('/');
      const flipped = start.split('.').map((part, index) => (index === 0 ? String(Number(part) ^ 128) : part));
      expect(range.includes(flipped.join('.'))).toBe(false);
    }),
  );
});
