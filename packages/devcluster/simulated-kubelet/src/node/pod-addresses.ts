/** Addresses of one node are a block of this many, more than a node ever has pods. */
const blockSize = 1024;
/** 10.128.0.0, from where blocks are given out. */
const firstAddress = 0x0a800000;
/** 172.18.0.0, from where nodes get their own. */
const firstNodeAddress = 0xac120000;

/** The address of the node with this number, counted from 0. */
export function nodeAddress(nodeNumber: number): string {
  return dotted(firstNodeAddress + 2 + nodeNumber);
}

/** The range that the pods of a node have their addresses from, as `spec.podCIDR` has it. */
export function podRange(nodeNumber: number): string {
  return `${dotted(firstAddress + nodeNumber * blockSize)}/22`;
}

/** Gives each pod of a node an address of its own. */
export class PodAddresses {
  readonly #first: number;
  readonly #byUid = new Map<string, string>();
  readonly #taken = new Set<string>();
  #next = 0;

  constructor(nodeNumber: number) {
    this.#first = firstAddress + nodeNumber * blockSize;
  }

  /** The pod's address; a pod that has one keeps it. @throws RangeError when none is left. */
  addressOf(uid: string): string {
    const known = this.#byUid.get(uid);
    if (known) return known;
    // Neither the first (network) nor the second (gateway) nor the last (broadcast).
    const usable = blockSize - 3;
    for (let tries = 0; tries < usable; tries++) {
      const address = dotted(this.#first + 2 + (this.#next++ % usable));
      if (!this.#taken.has(address)) return this.keep(uid, address);
    }
    throw new RangeError('no pod address is left on this node');
  }

  /** Notes an address that a pod has already. */
  keep(uid: string, address: string): string {
    this.#byUid.set(uid, address);
    this.#taken.add(address);
    return address;
  }

  release(uid: string): void {
    this.#taken.delete(this.#byUid.get(uid) ?? '');
    this.#byUid.delete(uid);
  }
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join('.');
}
