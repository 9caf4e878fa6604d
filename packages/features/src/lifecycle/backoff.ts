/** Doubles from `firstMs` with each attempt up to `mostMs`, spread by a fifth either way; `chance` is from 0 up to 1. */
export function backoffMs(attempt: number, firstMs: number, mostMs: number, chance: number): number {
  const exact = Math.min(mostMs, firstMs * 2 ** Math.min(attempt - 1, 30));
  return Math.round(exact * (0.8 + 0.4 * chance));
}
