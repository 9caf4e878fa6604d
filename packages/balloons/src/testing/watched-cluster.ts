import { type Condition, findCondition, type KubeObject } from '@slipway/kube';
import { Invariants } from './invariants.js';
import { ModelCluster, type ModelOptions } from './model-cluster.js';

/** A size for a node: a quarter of what it has. */
export const quarter = { mode: 'Size', size: { cpu: '4', memory: '16Gi' } } as const;

/** A cluster that the invariants watch from its first step on; a node without a name is `n1`. */
export class WatchedCluster extends ModelCluster {
  readonly invariants = new Invariants(this);

  /** Starts a cluster, and returns it when the first node is ready. */
  static async ready(options?: ModelOptions): Promise<WatchedCluster> {
    const cluster = new WatchedCluster(options);
    await cluster.until(() => cluster.condition('Ready')?.status === 'True');
    return cluster;
  }

  condition(type: string): Condition | undefined {
    return findCondition(this.size('n1')?.status?.conditions, type);
  }

  /** The balloon of the node. @throws Error when it has none */
  theBalloon(): KubeObject {
    const pod = this.balloon('n1');
    if (!pod) throw new Error('no balloon');
    return pod;
  }

  /** Stops it. @throws Error when it saw what must never be */
  async end(): Promise<void> {
    await this.stop();
    if (this.invariants.broken.length > 0) throw new Error(this.invariants.broken.join('\n'));
  }
}
