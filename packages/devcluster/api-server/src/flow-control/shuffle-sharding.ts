import { createHash } from 'node:crypto';

/**
 * Which `handSize` of `deckSize` queues a flow may use. A flow always gets the same hand, and two
 * flows seldom get the same: one that fills all its queues leaves others at least one of theirs.
 */
export function dealHand(flow: string, deckSize: number, handSize: number): readonly number[] {
  let hash = createHash('sha256').update(flow).digest().readBigUInt64LE(0);
  const hand: number[] = [];
  for (let dealt = 0; dealt < handSize; dealt++) {
    const left = BigInt(deckSize - dealt);
    const place = Number(hash % left);
    hash /= left;
    hand.push(cardAt(place, hand));
  }
  return hand;
}

/** The card at a place of the deck that is left. */
function cardAt(place: number, taken: readonly number[]): number {
  let card = place;
  for (const one of [...taken].sort((a, b) => a - b)) if (one <= card) card++;
  return card;
}
