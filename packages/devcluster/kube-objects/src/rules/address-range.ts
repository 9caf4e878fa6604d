import { isIPv4 } from 'node:net';

/** Addresses at the beginning of a range that are given last: whoever chooses one by hand finds it free there (KEP-3070). */
const reserved = { least: 16, most: 256, share: 16 };

/** A range of IPv4 addresses in CIDR notation: the one that services get their addresses from. */
export class AddressRange {
  readonly cidr: string;
  readonly #first: number;
  readonly #size: number;

  /** @throws RangeError unless `cidr` is an IPv4 range with room for at least two services, such as `10.96.0.0/16` */
  constructor(cidr: string) {
    const range = parsed(cidr);
    if (!range || range.size < 4) {
      throw new RangeError(`${cidr} must be an IPv4 range of at least four addresses, such as 10.96.0.0/16`);
    }
    this.#size = range.size;
    this.#first = range.first;
    this.cidr = `${textOf(range.first)}/${cidr.split('/')[1]}`;
  }

  /** The range that a text names, undefined for one without room, and for those of IPv6. */
  static find(cidr: string): AddressRange | undefined {
    return (parsed(cidr)?.size ?? 0) < 4 ? undefined : new AddressRange(cidr);
  }

  /** How many addresses services may have: all but the first and the last. */
  get count(): number {
    return this.#size - 2;
  }

  /** How many of them, from the lowest, are given to a service only when no other is left. */
  get reserved(): number {
    if (this.#size <= reserved.least) return 0;
    return Math.min(Math.max(reserved.least, Math.floor(this.#size / reserved.share)), reserved.most, this.count);
  }

  /** An address by its index, from 0 to `count - 1`. */
  at(index: number): string {
    return textOf(this.#first + 1 + index);
  }

  /** Whether an IPv4 address is in the range. */
  includes(address: string): boolean {
    const distance = numberOf(address) - this.#first;
    return distance >= 0 && distance < this.#size;
  }

  /** Whether a service may have an IPv4 address of the range: all but the first and the last. */
  offers(address: string): boolean {
    const distance = numberOf(address) - this.#first;
    return distance > 0 && distance < this.#size - 1;
  }

  /** Whether all of another range is in this one. */
  contains(other: AddressRange): boolean {
    return this.includes(textOf(other.#first)) && this.#size >= other.#size;
  }

  overlaps(other: AddressRange): boolean {
    return this.contains(other) || other.contains(this);
  }
}

function parsed(cidr: string): { first: number; size: number } | undefined {
  const [address = '', bits = ''] = cidr.split('/');
  if (!isIPv4(address) || !/^\d+$/.test(bits) || Number(bits) > 32) return undefined;
  const size = 2 ** (32 - Number(bits));
  return { size, first: numberOf(address) - (numberOf(address) % size) };
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

function textOf(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}
