import { milli, parseQuantity, QuantityError, wholeUnits } from '@slipway/kube';
import type { ContainerResources, Pod } from '@slipway/kube-objects/kinds/api/pods';
import { simulationPrefix } from '../simulation/simulation-text.js';

/** What a container uses: thousandths of a cpu, and bytes of memory. */
export interface Usage {
  readonly milliCpu: number;
  readonly memoryBytes: number;
}

/** A pause container sleeps until it is killed. */
const nothing: Usage = { milliCpu: 0, memoryBytes: 0 };

/** What any other container uses at least, unless an annotation says less. */
const least: Usage = { milliCpu: 1, memoryBytes: 16 * 1024 * 1024 };

/**
 * Computes the usage of a running container: a quarter of the cpu and half of the memory that it requests, nothing if
 * its image is named `pause`, or the amounts of an annotation such as `sim.slipway.dev/main.usage:
 * cpu=250m,memory=300Mi`; never more than its limits.
 *
 * @param resources what it runs with
 */
export function simulatedUsage(pod: Pod, containerName: string, resources: ContainerResources): Usage {
  const { requests = {}, limits = {} } = resources;
  const told = toldUsage(pod, containerName);
  const script = typeof told === 'string' ? undefined : told;
  const usual = isPause(pod, containerName) ? nothing : usageByRequests(requests);
  const { milliCpu, memoryBytes } = { ...usual, ...script };
  return {
    milliCpu: limits.cpu === undefined ? milliCpu : Math.min(milliCpu, milliCpuOf(limits.cpu)),
    memoryBytes: limits.memory === undefined ? memoryBytes : Math.min(memoryBytes, bytesOf(limits.memory)),
  };
}

function usageByRequests(requests: NonNullable<ContainerResources['requests']>): Usage {
  return {
    milliCpu: Math.max(least.milliCpu, Math.floor(milliCpuOf(requests.cpu ?? '0') / 4)),
    memoryBytes: Math.max(least.memoryBytes, Math.floor(bytesOf(requests.memory ?? '0') / 2)),
  };
}

/** Whether the image is a `pause`, whatever registry, tag or digest it has. */
function isPause({ spec }: Pod, containerName: string): boolean {
  const container = [...spec.containers, ...(spec.initContainers ?? [])].find(({ name }) => name === containerName);
  return /(^|\/)pause([:@][^/]*)?$/.test(container?.image ?? '');
}

/** Parses the usage of a container from its annotation; a message when it cannot be parsed. */
export function toldUsage(pod: Pod, containerName: string): Partial<Usage> | string | undefined {
  const text = pod.metadata.annotations?.[`${simulationPrefix}${containerName}.usage`];
  if (text === undefined) return undefined;
  const usage: { -readonly [name in keyof Usage]?: number } = {};
  for (const part of text.split(',').map((each) => each.trim())) {
    const [, name, amount = ''] = /^(cpu|memory)\s*=\s*(.*)$/.exec(part) ?? [];
    const value =
      name === 'cpu' ? readable(amount, milliCpuOf) : name === 'memory' ? readable(amount, bytesOf) : undefined;
    if (value === undefined)
      return `${JSON.stringify(part)} is neither cpu=AMOUNT (such as 250m) nor memory=AMOUNT (such as 300Mi)`;
    usage[name === 'cpu' ? 'milliCpu' : 'memoryBytes'] = value;
  }
  return usage;
}

function readable(amount: string, read: (text: string) => number): number | undefined {
  try {
    const value = read(amount);
    return value >= 0 ? value : undefined;
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

function milliCpuOf(amount: string): number {
  return Number(milli(parseQuantity(amount)));
}

/** An amount of memory in bytes. @throws QuantityError */
export function bytesOf(amount: string): number {
  return Number(wholeUnits(parseQuantity(amount)));
}
