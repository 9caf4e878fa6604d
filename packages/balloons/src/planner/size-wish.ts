import { type AmountsText, parseAmounts, type ResourceName, resources } from './amounts.js';

/** A size larger than any other: all that the node has. */
export const full = 'full';

/** How much of one resource pods shall have. */
export type Wish =
  | typeof full
  | { readonly kind: 'size'; readonly amount: bigint }
  | { readonly kind: 'balloon'; readonly amount: bigint }
  | { readonly kind: 'fraction'; readonly numerator: bigint; readonly denominator: bigint };

/** What is wished for, resource by resource. */
export type SizeWish = Readonly<Record<ResourceName, Wish>>;

/** The part of a NodeSize's spec that says how large the node shall be. */
export interface WishText {
  readonly mode?: string;
  readonly size?: AmountsText;
  readonly balloon?: AmountsText;
  readonly fraction?: string;
}

/** Nothing is hidden. */
export const fullSize: SizeWish = { cpu: full, memory: full };

/** A spec that cannot be read as a wish. The message says what to write. */
export class WishError extends Error {
  override readonly name = 'WishError';
}

/**
 * Reads what a spec wishes for. A resource that is not named stays full.
 * @throws WishError, QuantityError
 */
export function readWish({ mode = 'Full', size, balloon, fraction }: WishText): SizeWish {
  if (mode === 'Full') return fullSize;
  if (mode === 'Size') return wishFor('size', size);
  if (mode === 'Balloon') return wishFor('balloon', balloon);
  if (mode === 'Fraction') return wholeFraction(fraction ?? '');
  throw new WishError(`mode ${mode} wishes for no size`);
}

function wishFor(kind: 'size' | 'balloon', text: AmountsText | undefined): SizeWish {
  const amounts = parseAmounts(text);
  for (const resource of resources) {
    if (amounts[resource] < 0n) throw new WishError(`${kind}.${resource}: ${text?.[resource]} is less than nothing`);
  }
  const wish = (resource: ResourceName): Wish =>
    text?.[resource] === undefined ? full : { kind, amount: amounts[resource] };
  return { cpu: wish('cpu'), memory: wish('memory') };
}

/** @throws WishError */
export function wholeFraction(text: string): SizeWish {
  const [, top, bottom] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? [];
  if (!top || !bottom) throw new WishError(`fraction: "${text}" is not a fraction of whole numbers such as 1/4`);
  const wish = { kind: 'fraction', numerator: BigInt(top), denominator: BigInt(bottom) } as const;
  if (wish.numerator > wish.denominator) throw new WishError(`fraction: ${text} is more than the whole node`);
  return { cpu: wish, memory: wish };
}

/** The size of one resource that a wish comes to on a node. `full` is all that can be had. */
export function wantedSize(wish: Wish, allocatable: bigint): bigint {
  if (wish === full) return allocatable;
  if (wish.kind === 'size') return wish.amount;
  if (wish.kind === 'balloon') return allocatable - wish.amount;
  return (allocatable * wish.numerator) / wish.denominator;
}
