import { isIPv4, isIPv6 } from 'node:net';
import { celType } from '../values/cel-type.js';
import { fail } from '../values/failure.js';
import { Opaque, type Value } from '../values/values.js';
import { addressProblem, networkProblem } from './address-problems.js';
import { type Overload, overload, readsArgument, readsFirst } from './overload.js';

/** An address as a number, of 4 or 6. */
interface Address {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

interface Network extends Address {
  readonly prefix: number;
}

const ipType = celType('net.IP');
const cidrType = celType('net.CIDR');

const held = <T>(value: Value | undefined) => (value as Opaque).held as T;
const test = (name: string, is: (address: Address) => boolean) =>
  overload(name, 'net.IP.(): bool', ([value]) => is(held<Address>(value)));

/** IP addresses and networks. */
export const network = (): readonly Overload[] => [
  overload('isIP', '(string): bool', ([text]) => parseIp(text as string) !== undefined, readsFirst),
  overload('ip', '(string): net.IP', ([text]) => toIp(text as string), readsFirst),
  overload(
    'ip.isCanonical',
    '(string): bool',
    ([text]) => {
      const address = parseIp(text as string);
      return address === undefined ? notParsed(text as string) : ipText(address) === text;
    },
    readsFirst,
  ),
  overload('string', '(net.IP): string', ([ip]) => ipText(held(ip))),
  overload('family', 'net.IP.(): int', ([ip]) => BigInt(held<Address>(ip).family)),
  test('isUnspecified', ({ bits }) => bits === 0n),
  test('isLoopback', isLoopback),
  test('isLinkLocalMulticast', isLinkLocalMulticast),
  test('isLinkLocalUnicast', isLinkLocalUnicast),
  test('isGlobalUnicast', (address) =>
    address.bits !== 0n &&
    !(address.family === 4 && address.bits === 0xffffffffn) &&
    !isLoopback(address) &&
    !isMulticast(address) &&
    !isLinkLocalUnicast(address)),

  overload('isCIDR', '(string): bool', ([text]) => parseCidr(text as string) !== undefined, readsFirst),
  overload('cidr', '(string): net.CIDR', ([text]) => toCidr(text as string), readsFirst),
  overload('string', '(net.CIDR): string', ([cidr]) => cidrText(held(cidr))),
  overload('ip', 'net.CIDR.(): net.IP', ([cidr]) => {
    const { family, bits } = held<Network>(cidr);
    return ipValue({ family, bits });
  }),
  overload('prefixLength', 'net.CIDR.(): int', ([cidr]) => BigInt(held<Network>(cidr).prefix)),
  overload('masked', 'net.CIDR.(): net.CIDR', ([cidr]) => cidrValue(masked(held(cidr)))),
  overload('containsIP', 'net.CIDR.(net.IP): bool', ([cidr, ip]) => holds(held(cidr), held(ip))),
  overload(
    'containsIP',
    'net.CIDR.(string): bool',
    ([cidr, text]) => {
      const address = parseIp(text as string);
      return address === undefined ? fail('no such overload') : holds(held(cidr), address);
    },
    readsArgument,
  ),
  overload('containsCIDR', 'net.CIDR.(net.CIDR): bool', ([cidr, other]) => covers(held(cidr), held(other))),
  overload(
    'containsCIDR',
    'net.CIDR.(string): bool',
    ([cidr, text]) => {
      const other = parseCidr(text as string);
      return other === undefined ? notACidr(text as string) : covers(held(cidr), other);
    },
    readsArgument,
  ),
];

function toIp(text: string): Value {
  const address = parseIp(text);
  return address ? ipValue(address) : notParsed(text);
}

function toCidr(text: string): Value {
  const found = parseCidr(text);
  return found ? cidrValue(found) : notACidr(text);
}

function ipValue(address: Address): Opaque {
  return new Opaque(ipType, address);
}

function cidrValue(found: Network): Opaque {
  return new Opaque(cidrType, found);
}

function notParsed(text: string): Value {
  const shown = JSON.stringify(text);
  if (isMapped(text)) return fail(`IPv4-mapped IPv6 address ${shown} is not allowed`);
  if (isIPv6(text)) return fail(`IP address ${shown} with zone value is not allowed`);
  return fail(`IP Address ${shown} parse error during conversion from string: ${addressProblem(text)}`);
}

/** Whether it is an IPv4 address that is written as one of IPv6. */
function isMapped(text: string): boolean {
  return isIPv6(text) && !text.includes('%') && ipv6Bits(text) >> 32n === 0xffffn;
}

function notACidr(text: string): Value {
  const prefix = 'network address parse error during conversion from string: ';
  if (isMapped(text.split('/')[0] ?? ''))
    return fail(`${prefix}IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`);
  return fail(`${prefix}${prefix}${networkProblem(text, (address) => parseIp(address) !== undefined)}`);
}

/** Addresses that wrap IPv4 into IPv6, and those of one machine's interfaces, are no addresses here. */
function parseIp(text: string): Address | undefined {
  if (isIPv4(text)) {
    if (/(?:^|\.)0\d/.test(text)) return undefined;
    return { family: 4, bits: text.split('.').reduce((bits, part) => bits * 256n + BigInt(part), 0n) };
  }
  if (!isIPv6(text) || text.includes('%')) return undefined;
  const bits = ipv6Bits(text);
  return bits >> 32n === 0xffffn ? undefined : { family: 6, bits };
}

function ipv6Bits(text: string): bigint {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const plain = dotted ? (dotted[1] ?? '') + groupsOfIpv4(dotted[2] ?? '') : text;
  const [head = '', tail] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].reduce((bits, group) => bits * 65_536n + BigInt(`0x${group}`), 0n);
}

function groupsOfIpv4(text: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/** The canonical text: the longest run of zeros, if longer than one group, is left out. */
function ipText({ family, bits }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (bits >> shift) & 255n).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((bits >> BigInt(112 - index * 16)) & 0xffffn).toString(16));
  let best = { at: 0, length: 1 };
  for (let at = 0; at < 8; at++) {
    let length = 0;
    while (groups[at + length] === '0') length++;
    if (length > best.length) best = { at, length };
  }
  if (best.length < 2) return groups.join(':');
  return `${groups.slice(0, best.at).join(':')}::${groups.slice(best.at + best.length).join(':')}`;
}

function cidrText(found: Network): string {
  return `${ipText(found)}/${found.prefix}`;
}

function parseCidr(text: string): Network | undefined {
  const [address = '', length = '', ...more] = text.split('/');
  const found = parseIp(address);
  if (!found || more.length > 0 || !/^(?:0|[1-9]\d{0,2})$/.test(length)) return undefined;
  const prefix = Number(length);
  return prefix <= widthOf(found) ? { ...found, prefix } : undefined;
}

function widthOf({ family }: Address): number {
  return family === 4 ? 32 : 128;
}

function masked(found: Network): Network {
  const free = BigInt(widthOf(found) - found.prefix);
  return { ...found, bits: (found.bits >> free) << free };
}

function holds(found: Network, address: Address): boolean {
  if (found.family !== address.family) return false;
  const free = BigInt(widthOf(found) - found.prefix);
  return found.bits >> free === address.bits >> free;
}

function covers(found: Network, other: Network): boolean {
  return other.prefix >= found.prefix && holds(found, other);
}

function isLoopback({ family, bits }: Address): boolean {
  return family === 4 ? bits >> 24n === 127n : bits === 1n;
}

function isMulticast({ family, bits }: Address): boolean {
  return family === 4 ? bits >> 28n === 14n : bits >> 120n === 0xffn;
}

function isLinkLocalMulticast({ family, bits }: Address): boolean {
  return family === 4 ? bits >> 8n === 0xe00000n : ((bits >> 112n) & 0xff0fn) === 0xff02n;
}

function isLinkLocalUnicast({ family, bits }: Address): boolean {
  return family === 4 ? bits >> 16n === 0xa9fen : bits >> 118n === 0x3fan;
}
