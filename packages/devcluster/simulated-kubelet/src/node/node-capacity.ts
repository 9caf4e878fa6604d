import { formatQuantity, parseQuantity, type Quantity, quantity, subtractQuantity } from '@slipway/kube';
import type { ResourceList } from '@slipway/kube-objects/kinds/resource-list';

/** What a node has, and what of it is not for pods. */
export interface NodeCapacity {
  readonly capacity: ResourceList;
  /** Kept for the system; several amounts add up. */
  readonly reserved?: readonly ResourceList[];
  /** Kept free, because pods are evicted when less is left. */
  readonly evictedBelow?: ResourceList;
}

/** Returns the most that a node could give to pods: its capacity without what is reserved for the system. */
export function forPods({ capacity, reserved = [] }: NodeCapacity): ResourceList {
  return reserved.reduce(without, capacity);
}

/** Returns what a node offers to pods. */
export function allocatableOf(node: NodeCapacity): ResourceList {
  return without(forPods(node), node.evictedBelow ?? {});
}

function without(amounts: ResourceList, taken: ResourceList): ResourceList {
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
