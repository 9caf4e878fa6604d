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

// range | addresses that are given last
test.each([
  ['10.0.0.0/30', 0],
  ['10.0.0.0/28', 0],
  ['10.0.0.0/27', 16],
  ['10.0.0.0/24', 16],
  ['10.0.0.0/20', 256],
  ['10.96.0.0/16', 256],
])('AddressRange %s keeps %i for who chooses by hand', (cidr, count) => {
  expect(new AddressRange(cidr).reserved).toBe(count);
});

test('AddressRange contains ranges whose addresses it has, and offers all but its first and last', () => {
  const bits = fc.integer({ min: 8, max: 30 });
  fc.assert(
    fc.property(bits, bits, fc.nat(), fc.nat(), (one, two, draw, third) => {
      const whole = new AddressRange(`10.0.0.0/${Math.min(one, two)}`);
      const part = new AddressRange(`${whole.at(draw % whole.count)}/${Math.max(one, two)}`);
      expect([whole.contains(part), whole.overlaps(part), part.overlaps(whole)]).toEqual([true, true, true]);
      expect(part.contains(whole)).toBe(one === two);
      expect(part.offers(part.at(third % part.count))).toBe(true);
      expect(part.offers(part.cidr.replace(/\/.*/, ''))).toBe(false);
      expect(whole.overlaps(new AddressRange('11.0.0.0/8'))).toBe(false);
    }),
  );
  expect(new AddressRange('10.0.0.0/24').offers('10.0.0.255')).toBe(false);
});
