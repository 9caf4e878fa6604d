import { type Clock, formatQuantity, quantity, type Timer } from '@slipway/kube';
import { forPods } from '../node/node-capacity.js';
import type { Machine } from '../pods/machine.js';
import { type Resident, type Residents, runningAt } from '../pods/residents.js';
import { bytesOf, simulatedUsage } from '../usage/simulated-usage.js';
import { evictionOrder, type MemoryUse } from './eviction-order.js';

export interface MemoryPressureOptions {
  readonly machine: Machine;
  readonly residents: Residents;
  readonly clock: Clock;
  readonly evict: (victim: Resident, message: string) => void;
}

interface Use extends MemoryUse {
  readonly resident: Resident;
  readonly containers: readonly {
    readonly name: string;
    readonly usedBytes: number;
    readonly requestedBytes: number;
  }[];
}

/** How long a node counts as short of memory after it last was. */
const relievedAfterMs = 5 * 60_000;

/** Watches what the pods of a node use of its memory, and takes some away when too little is left. */
export class MemoryPressure {
  readonly #options: MemoryPressureOptions;
  #relief: Timer | undefined;

  constructor(options: MemoryPressureOptions) {
    this.#options = options;
  }

  /** A pod may use more than before, or less. */
  look(resident: Resident): void {
    const { residents, evict } = this.#options;
    residents.uses(resident, this.#useOf(resident).usedBytes);
    while (this.#availableBytes() < this.#thresholdBytes()) {
      const staying = residents.all().filter(({ ending }) => !ending);
      const [first] = evictionOrder(staying.map((each) => this.#useOf(each)));
      this.#saySo();
      if (!first) return;
      evict(first.resident, this.#why(first));
    }
  }

  stop(): void {
    this.#relief?.cancel();
  }

  /** Says so until nothing more has happened for a while. */
  #saySo(): void {
    const { machine, clock } = this.#options;
    machine.isShortOfMemory = true;
    this.#relief?.cancel();
    this.#relief = clock.after(relievedAfterMs, () => {
      machine.isShortOfMemory = false;
    });
  }

  #availableBytes(): number {
    const { machine, residents } = this.#options;
    return bytesOf(forPods(machine.spec).memory ?? '0') - residents.usedBytes;
  }

  #thresholdBytes(): number {
    return bytesOf(this.#options.machine.spec.evictedBelow?.memory ?? '0');
  }

  #useOf(resident: Resident): Use {
    const { machine, clock } = this.#options;
    const { pod, admittedAtMs } = resident;
    const actuated = machine.checkpoint.actuated(pod.metadata.uid ?? '');
    const containers = runningAt(resident, clock.now() - admittedAtMs).map((name) => {
      const resources = actuated?.get(name) ?? {};
      const { memoryBytes: usedBytes } = simulatedUsage(pod, name, resources);
      return { name, usedBytes, requestedBytes: bytesOf(resources.requests?.memory ?? '0') };
    });
    const sum = (of: 'usedBytes' | 'requestedBytes') => containers.reduce((total, each) => total + each[of], 0);
    return { resident, pod, containers, usedBytes: sum('usedBytes'), requestedBytes: sum('requestedBytes') };
  }

  #why({ containers }: Use): string {
    const [threshold, available] = [amountText(this.#thresholdBytes()), amountText(this.#availableBytes())];
    const low = `The node was low on resource: memory. Threshold quantity: ${threshold}, available: ${available}. `;
    const greedy = containers.filter(({ usedBytes, requestedBytes }) => usedBytes > requestedBytes);
    const causes = greedy.map(
      ({ name, usedBytes, requestedBytes }) =>
        `Container ${name} was using ${amountText(usedBytes)}, request is ${amountText(requestedBytes)}, ` +
        'has larger consumption of memory. ',
    );
    return low + causes.join('');
  }
}

function amountText(bytes: number): string {
  return formatQuantity(quantity(BigInt(bytes), 'BinarySI'));
}
