import { randomBytes, randomUUID } from 'node:crypto';

/** What is drawn at random, so that tests can say what comes. */
export interface Random {
  uid(): string;
  /** Five characters for metadata.generateName. */
  suffix(): string;
  /** At least 0, below 1. */
  fraction(): number;
}

// No vowels and no look-alikes: generated names spell nothing.
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** All that follows from numbers of at least 0, below 1: the same numbers, the same names. */
export function drawnFrom(fraction: () => number): Random {
  const some = (count: number, of: string) =>
    Array.from({ length: count }, () => of[Math.floor(fraction() * of.length)]).join('');
  const digits = (count: number) => some(count, '0123456789abcdef');
  return {
    uid: () => `${digits(8)}-${digits(4)}-4${digits(3)}-${some(1, '89ab')}${digits(3)}-${digits(12)}`,
    suffix: () => some(5, alphabet),
    fraction,
  };
}

/** Randomness of this machine. */
export const systemRandom: Random = {
  uid: () => randomUUID(),
  suffix: () => Array.from(randomBytes(5), (byte) => alphabet[byte % alphabet.length]).join(''),
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
};
