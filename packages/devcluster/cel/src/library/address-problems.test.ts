import { expect, test } from 'vitest';
import { addressProblem, networkProblem } from './address-problems.js';

// text that does not parse | why
const addresses: [string, string][] = [
  ['a', 'ParseAddr("a"): unable to parse IP'],
  ['', 'ParseAddr(""): unable to parse IP'],
  ['%eth0', 'ParseAddr("%eth0"): missing IPv6 address'],
  ['1.2.3', 'ParseAddr("1.2.3"): IPv4 address too short'],
  ['1.2.3.4.5', 'ParseAddr("1.2.3.4.5"): IPv4 address too long'],
  ['1.2.3.256', 'ParseAddr("1.2.3.256"): IPv4 field has value >255'],
  ['01.2.3.4', 'ParseAddr("01.2.3.4"): IPv4 field has octet with leading zero'],
  ['1.2.x.4', 'ParseAddr("1.2.x.4"): unexpected character (at "x.4")'],
  ['1..2.3', 'ParseAddr("1..2.3"): IPv4 field must have at least one digit (at ".2.3")'],
  ['1.2.3.', 'ParseAddr("1.2.3."): IPv4 field must have at least one digit (at ".")'],
  ['.1.2.3', 'ParseAddr(".1.2.3"): IPv4 field must have at least one digit (at ".1.2.3")'],
];

test.each(addresses)('addressProblem(%j)', (text, why) => {
  expect(addressProblem(text)).toBe(why);
});

test('networkProblem() says which part is wrong', () => {
  const why = (text: string) => networkProblem(text, (address) => address === '10.0.0.0');
  expect(why('a')).toBe(`netip.ParsePrefix("a"): no '/'`);
  expect(why('a/8')).toBe('netip.ParsePrefix("a/8"): ParseAddr("a"): unable to parse IP');
  expect(why('10.0.0.0/08')).toBe('netip.ParsePrefix("10.0.0.0/08"): bad bits after slash: "08"');
  expect(why('10.0.0.0/33')).toBe('netip.ParsePrefix("10.0.0.0/33"): prefix length out of range');
});
