import { parseQuantity } from '@slipway/kube';
import type { NodeNetwork } from '@slipway/simulated-kubelet/node/node-network';
import type { Machine } from '@slipway/simulated-kubelet/pods/machine';
import type { Component } from './component/component.js';

/** What can be done to a node, seen from outside. */
export interface NodeControl {
  readonly name: string;
  /**
   * Stops the kubelet: it renews no lease and reports no status, and its pods keep their last
   * status. The cluster detects that after forty seconds.
   */
  stop(): Promise<void>;
  /** The node is back, after `stop` and after `partition`. Resolves when its kubelet has registered. */
  start(): Promise<void>;
  /** The kubelet runs, and its containers with it, but does not reach the API server. */
  partition(): Promise<void>;
  /**
   * Cpus or memory are plugged in, or pulled out, while the node runs: `{ cpu: '8', memory: '32Gi' }`. What is not
   * named stays. The kubelet reports it at once; pods that run stay, even where they are too many now.
   * @throws QuantityError when an amount cannot be read, RangeError when it is negative
   */
  setCapacity(amounts: Readonly<Record<string, string>>): void;
}

/** The control of the node whose kubelet this is; `pin` are the gates it is started with. */
export function nodeControl(kubelet: Component, machine: Machine, network: NodeNetwork, pin: string): NodeControl {
  const name = kubelet.instance;
  return {
    name,
    stop: () => kubelet.stop(),
    async start() {
      network.mend(name);
      await kubelet.start({ pin });
    },
    async partition() {
      network.cut(name);
      await kubelet.start({ pin });
    },
    setCapacity(amounts) {
      for (const [resource, amount] of Object.entries(amounts)) requireAmount(resource, amount);
      machine.setCapacity(amounts);
    },
  };
}

function requireAmount(resource: string, amount: string): void {
  if (parseQuantity(amount).nano < 0n) throw new RangeError(`${resource} of a node cannot be ${amount}`);
}
