import { type Amounts, formatCpu, formatMemory, type ResourceName, resources } from './amounts.js';
import type { OutOfBounds, PlanInput, SizePlan } from './plan-size.js';

/** Returns why a requested size is not possible; undefined when it is. */
export function sizeProblem(outside: readonly OutOfBounds[]): string | undefined {
  const [first] = outside;
  return first && `${inWords(first)}; ask for ${first.bound === 'min' ? 'no less' : 'no more'} than that`;
}

function inWords({ resource, bound, wanted, allowed }: OutOfBounds): string {
  const asked = `${amount(resource, wanted)} ${resource}`;
  const limit = amount(resource, allowed);
  if (bound === 'allocatable') return `${asked} is larger than the node, which has ${limit}`;
  return bound === 'max'
    ? `${asked} is above the policy's most, ${limit}`
    : `${asked} is below the policy's least, ${limit}`;
}

/** Describes by how much a size does not fit, and the smallest size that does. */
export function shortfallInWords(input: PlanInput, plan: Extract<SizePlan, { kind: 'does-not-fit' }>): string {
  const missing = resources.filter((resource) => plan.short[resource] !== undefined);
  const short = missing.map((resource) => `${amount(resource, plan.short[resource] ?? 0n)} ${resource}`).join(' and ');
  return `pods ask for more than that would leave: ${short} too much; the smallest size now is ${floor(input)}`;
}

function floor({ requested, limits }: PlanInput): string {
  const least: Amounts = {
    cpu: requested.cpu + limits.criticalReserve.cpu,
    memory: requested.memory + limits.criticalReserve.memory,
  };
  return resources.map((resource) => `${amount(resource, least[resource])} ${resource}`).join(' and ');
}

function amount(resource: ResourceName, value: bigint): string {
  return resource === 'cpu' ? formatCpu(value) : formatMemory(value);
}
