import type { KubeObject } from '../transport/objects.js';
import { addQuantity, maxQuantity, parseQuantity, type Quantity } from './quantity.js';

/** Amounts by resource name: `cpu`, `memory`, `ephemeral-storage`, `example.com/gpu`. */
export type ResourceAmounts = Readonly<Record<string, Quantity>>;

/** Amounts as objects carry them. */
export type ResourceList = Readonly<Record<string, string | number>>;

/** The fields of a container that requests are worked out from. */
export interface RequestingContainer {
  readonly name?: string;
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: ResourceList };
}

/** What one container counts for, given what its spec says. */
export type ContainerRequests = (container: RequestingContainer) => ReadonlyMap<string, Quantity>;

/** Other ways to count than the one of the API. */
export interface CountingRules {
  /** What a container counts for that does not say, by resource. Default: nothing. */
  readonly unasked?: ReadonlyMap<string, Quantity>;
  /** Whether what the pod asks for as a whole is left out. Default: it counts. */
  readonly containersOnly?: boolean;
}

/**
 * Adds up the requests of a pod's spec.
 *
 * Containers run together, so they add up. Init containers run one after the other before them, so only the largest
 * counts; sidecars (init containers that restart always) run beside everything after them. What the pod asks for as a
 * whole wins over that for cpu, memory and huge pages. Overhead of its runtime comes on top.
 * @throws QuantityError when an amount cannot be read.
 */
export function podRequests(pod: KubeObject, rules: CountingRules = {}): ResourceAmounts {
  return sumRequests(pod, (container) => amounts(container.resources?.requests), rules);
}

/** The rule of `podRequests`, with another idea of what one container counts for. */
export function sumRequests(
  pod: KubeObject,
  askedBy: ContainerRequests,
  { unasked, containersOnly }: CountingRules,
): ResourceAmounts {
  const requestsOf = (container: RequestingContainer) =>
    unasked ? new Map([...unasked, ...askedBy(container)]) : askedBy(container);
  const spec: {
    readonly containers?: readonly RequestingContainer[];
    readonly initContainers?: readonly RequestingContainer[];
    readonly resources?: RequestingContainer['resources'];
    readonly overhead?: ResourceList;
  } = pod.spec ?? {};

  const sidecars: Map<string, Quantity> = new Map();
  const largestInit: Map<string, Quantity> = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = requestsOf(container);
    if (container.restartPolicy === 'Always') {
      raise(sidecars, own, addQuantity);
      raise(largestInit, sidecars, maxQuantity);
    } else {
      const beside = new Map(own);
      raise(beside, sidecars, addQuantity);
      raise(largestInit, beside, maxQuantity);
    }
  }

  const total = new Map(sidecars);
  for (const container of spec.containers ?? []) raise(total, requestsOf(container), addQuantity);
  raise(total, largestInit, maxQuantity);
  for (const [name, amount] of amounts(containersOnly ? {} : spec.resources?.requests)) {
    if (name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')) total.set(name, amount);
  }
  raise(total, amounts(spec.overhead), addQuantity);
  return Object.fromEntries(total);
}

/** A list of amounts as objects carry it, for example `status.allocatable` of a node. @throws QuantityError */
export function resourceAmounts(list: ResourceList | undefined): ResourceAmounts {
  return Object.fromEntries(amounts(list));
}

/** The largest of several lists, resource by resource. @throws QuantityError */
export function largestOf(...lists: readonly (ResourceList | undefined)[]): ReadonlyMap<string, Quantity> {
  const largest: Map<string, Quantity> = new Map();
  for (const list of lists) raise(largest, amounts(list), maxQuantity);
  return largest;
}

function amounts(list: ResourceList | undefined): Map<string, Quantity> {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

function raise(
  totals: Map<string, Quantity>,
  by: ReadonlyMap<string, Quantity>,
  combine: (a: Quantity, b: Quantity) => Quantity,
): void {
  for (const [name, amount] of by) {
    const total = totals.get(name);
    totals.set(name, total ? combine(total, amount) : amount);
  }
}
