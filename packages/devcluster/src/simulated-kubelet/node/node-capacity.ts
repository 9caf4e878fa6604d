import { formatQuantity, parseQuantity, type Quantity, quantity, subtractQuantity } from '@slipway/kube';

/** Amounts by resource, as objects carry them. */
type Amounts = Readonly<Record<string, string>>;

/** What a node has, and what of it is not for pods. */
export interface NodeCapacity {
  readonly capacity: Amounts;
  /** Kept for the system; several amounts add up. */
  readonly reserved?: readonly Amounts[];
  /** Kept free, because pods are evicted when less is left. */
  readonly evictedBelow?: Amounts;
}

/** Returns the most that a node could give to pods: its capacity without what is reserved for the system. */
export function forPods({ capacity, reserved = [] }: NodeCapacity): Amounts {
  return reserved.reduce(without, capacity);
}

/** Returns what a node offers to pods. */
export function allocatableOf(node: NodeCapacity): Amounts {
  return without(forPods(node), node.evictedBelow ?? {});
}

function without(amounts: Amounts, taken: Amounts): Amounts {
  const left = Object.entries(amounts).map(([name, amount]) => {
    const less = taken[name];
    return [name, less === undefined ? amount : formatQuantity(difference(parseQuantity(amount), parseQuantity(less)))];
  });
  return Object.fromEntries(left);
}

/** Nothing is less than nothing. */
function difference(a: Quantity, b: Quantity): Quantity {
  const left = subtractQuantity(a, b);
  return left.nano > 0n ? left : quantity(0);
}
