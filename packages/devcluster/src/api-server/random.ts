import { randomBytes, randomUUID } from 'node:crypto';
import type { Random } from './core.js';

// No vowels and no look-alikes: generated names spell nothing.
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** Randomness of this machine. */
export const systemRandom: Random = {
  uid: () => randomUUID(),
  suffix: () => Array.from(randomBytes(5), (byte) => alphabet[byte % alphabet.length]).join(''),
  fraction: () => randomBytes(4).readUInt32BE() / 2 ** 32,
};
