import { expect, test } from 'vitest';
import {
  type AddressField,
  addressWarnings,
  legacyAddressErrors,
  legacyFamily,
  strictAddressErrors,
} from './legacy-addresses.js';

const at = (value: string): AddressField => ({ field: 'f', value, holds: value.includes('/') ? 'range' : 'address' });
const told = (errors: ReturnType<typeof legacyAddressErrors>) => errors.map(({ detail }) => detail);

// Compared with a kube-apiserver of 1.37.2.
// value | family or 0 | what the strict rules say | warning where they do not hold
const cases: readonly (readonly [string, 0 | 4 | 6, string | undefined, string | undefined])[] = [
  ['10.0.0.1', 4, undefined, undefined],
  ['2001:db8::1', 6, undefined, undefined],
  ['010.000.0.01', 4, 'must not have leading 0s', 'non-standard IP address "010.000.0.01" is invalid: use "10.0.0.1"'],
  [
    '::ffff:1.2.3.4',
    4,
    'must not be an IPv4-mapped IPv6 address',
    'non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"',
  ],
  [
    '2001:DB8:0::1',
    6,
    undefined,
    'IPv6 address "2001:DB8:0::1" should be in RFC 5952 canonical format ("2001:db8::1")',
  ],
  ['1.2.3.256', 0, undefined, undefined],
  ['1.2.3', 0, undefined, undefined],
  ['fe80::1%eth0', 0, undefined, undefined],
  ['', 0, undefined, undefined],
];

test.each(cases)('the address %s is of family %s', (value, family, problem, warning) => {
  expect(legacyFamily(value)).toBe(family);
  expect(legacyAddressErrors(at(value))).toHaveLength(family === 0 ? 1 : 0);
  expect(told(strictAddressErrors([at(value)]))).toEqual(problem === undefined ? [] : [problem]);
  expect(addressWarnings([at(value)])).toEqual(warning === undefined ? [] : [`f: ${warning}`]);
});

// range | what the strict rules say, or undefined | warnings where they do not hold
const ranges: readonly (readonly [string, string | undefined, readonly string[]])[] = [
  ['10.0.0.0/8', undefined, []],
  [
    '10.0.0.1/8',
    'must not have bits set beyond the prefix length',
    ['CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)'],
  ],
  [
    '10.0.0.0/08',
    'must not have leading 0s in IP or prefix length',
    ['non-standard CIDR value "10.0.0.0/08" is invalid: use "10.0.0.0/8"'],
  ],
  [
    '::ffff:1.2.3.0/120',
    'must not have an IPv4-mapped IPv6 address',
    ['non-standard CIDR value "::ffff:1.2.3.0/120" is invalid: use "1.2.3.0/24"'],
  ],
  [
    '2001:DB8::/32',
    undefined,
    ['IPv6 CIDR value "2001:DB8::/32" should be in RFC 5952 canonical format ("2001:db8::/32")'],
  ],
];

test.each(ranges)('the range %s', (value, problem, warnings) => {
  expect(legacyAddressErrors(at(value))).toEqual([]);
  expect(told(strictAddressErrors([at(value)]))).toEqual(problem === undefined ? [] : [problem]);
  expect(addressWarnings([at(value)])).toEqual(warnings.map((warning) => `f: ${warning}`));
});

test.each(['10.0.0.0/33', '10.0.0.0', '/8', 'a/8', '10.0.0.0/-1'])('%s is not a range', (value) => {
  expect(told(legacyAddressErrors({ field: 'f', value, holds: 'range' }))).toEqual([
    'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  ]);
});

test('strictAddressErrors() lets values stay that the stored object has', () => {
  const old = [at('010.0.0.1')];
  expect(strictAddressErrors([{ ...at('010.0.0.1'), field: 'other' }], old)).toEqual([]);
  expect(strictAddressErrors([at('010.0.0.2')], old)).toHaveLength(1);
});
