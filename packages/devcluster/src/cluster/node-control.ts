import type { Component } from '../controllers/component/component.js';
import type { NodeNetwork } from '../kubelet/node-network.js';

/** What can be done to a node, seen from outside. */
export interface NodeControl {
  readonly name: string;
  /**
   * The kubelet is gone: no lease, no status, nobody takes care of its pods, which stay as
   * they were reported last. Forty seconds later the cluster notices.
   */
  stop(): Promise<void>;
  /** The node is back, after `stop` and after `partition`. Resolves when its kubelet has registered. */
  start(): Promise<void>;
  /** The kubelet runs, and its containers with it, but does not reach the API server. */
  partition(): Promise<void>;
}

/** The control of the node whose kubelet this is; `pin` are the gates it is started with. */
export function nodeControl(kubelet: Component, network: NodeNetwork, pin: string): NodeControl {
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
  };
}
