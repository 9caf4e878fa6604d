/** What one level wants of the seats of a server, and what it must and may have at most. */
export interface SeatWish {
  readonly lower: number;
  readonly upper: number;
  readonly target: number;
}

/** Wishes for nothing would get nothing however much there is. */
const leastTarget = 0.001;

/**
 * Shares `seats` among levels so that each gets the same part, or the same multiple, of what it wants, within
 * its bounds. Gives what the bounds allow when they leave no way to share out exactly that many.
 */
export function shareSeats(seats: number, wishes: readonly SeatWish[]): readonly number[] {
  const at = (factor: number) =>
    wishes.map(({ lower, upper, target }) => Math.min(upper, Math.max(lower, factor * Math.max(target, leastTarget))));
  // What is shared out grows with the factor, so the right one is found by halving.
  let [low, high] = [0, (seats + 1) / leastTarget];
  for (let round = 0; round < 60; round++) {
    const middle = (low + high) / 2;
    if (sum(at(middle)) < seats) low = middle;
    else high = middle;
  }
  return at(high).map(Math.round);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
