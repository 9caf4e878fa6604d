import { BlockList, isIP } from 'node:net';

/** The problem of a string that is not an address. */
export const addressRule = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

/** A range of addresses such as `10.0.0.0/8`. */
export interface Cidr {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  /** Length of the prefix in bits. */
  readonly prefix: number;
}

/** Parses a CIDR; undefined when the string is not one. */
export function parseCidr(text: string): Cidr | undefined {
  const [, address = '', length = ''] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text) ?? [];
  const version = address.includes('%') ? 0 : isIP(address);
  const prefix = Number(length);
  if (version === 0 || length === '' || prefix > (version === 4 ? 32 : 128)) return undefined;
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}

/** Whether the first address of `part` lies in `whole`. */
export function containsSubnet(whole: Cidr, part: Cidr): boolean {
  if (whole.family !== part.family) return false;
  const range = new BlockList();
  range.addSubnet(whole.address, whole.prefix, whole.family);
  return range.check(part.address, part.family);
}

/**
 * An address in the form that Kubernetes writes it in: `2001:db8::1`, without leading zeros. Undefined when it is none.
 */
export function canonicalAddress(text: string): string | undefined {
  const version = text.includes('%') ? 0 : isIP(text);
  if (version === 0) return undefined;
  return version === 4 ? text : new URL(`http://[${text}]`).hostname.slice(1, -1);
}

/** The same for a range: its first address, then the length of the prefix. */
export function canonicalCidr(cidr: Cidr): string {
  const { address, prefix, family } = cidr;
  const width = family === 'ipv4' ? 32n : 128n;
  const kept = width - BigInt(prefix);
  const number = (addressNumber(address, family) >> kept) << kept;
  return `${family === 'ipv4' ? dotted(number) : canonicalAddress(colons(number))}/${prefix}`;
}

function addressNumber(address: string, family: Cidr['family']): bigint {
  if (family === 'ipv4') return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  const [before = '', after] = (canonicalAddress(address) ?? '').split('::');
  const parts = (text: string) => (text === '' ? [] : text.split(':'));
  const [head, tail] = [parts(before), parts(after ?? '')];
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n);
}

function dotted(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (number >> shift) & 0xffn).join('.');
}

function colons(number: bigint): string {
  const shifts = [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n];
  return shifts.map((shift) => ((number >> shift) & 0xffffn).toString(16)).join(':');
}
