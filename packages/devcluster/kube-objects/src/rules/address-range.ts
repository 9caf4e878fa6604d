import { isIPv4 } from 'node:net';

/** A range of IPv4 addresses in CIDR notation: the one that services get their addresses from. */
export class AddressRange {
  readonly cidr: string;
  readonly #first: number;
  readonly #size: number;

  /** @throws RangeError unless `cidr` is an IPv4 range with room for at least two services, such as `10.96.0.0/16` */
  constructor(cidr: string) {
    const [address = '', bits = ''] = cidr.split('/');
    if (!isIPv4(address) || !/^\d+$/.test(bits) || Number(bits) > 30) {
      throw new RangeError(`${cidr} must be an IPv4 range of at least four addresses, such as 10.96.0.0/16`);
    }
    this.#size = 2 ** (32 - Number(bits));
    this.#first = numberOf(address) - (numberOf(address) % this.#size);
    this.cidr = `${textOf(this.#first)}/${Number(bits)}`;
  }

  /** How many addresses services may have: all but the first and the last. */
  get count(): number {
    return this.#size - 2;
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
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

function textOf(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}
