/** What every property test draws from unless other draws are requested: `npm test` says the same twice. */
export const usualSeed = 1;

/**
 * The seed that SLIPWAY_SEED asks for: an integer of 32 bits, `random` for a new one, nothing for the usual one.
 * Throws a RangeError for anything else.
 */
export function propertySeed(asked: string | undefined): number {
  if (asked === undefined || asked === '') return usualSeed;
  if (asked === 'random') return Math.floor(Math.random() * 2 ** 31);
  const seed = Number(asked);
  if ((seed | 0) !== seed) throw new RangeError(`SLIPWAY_SEED is "${asked}": use random, or an integer of 32 bits`);
  return seed;
}
