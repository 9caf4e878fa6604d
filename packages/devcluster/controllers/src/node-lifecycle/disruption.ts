/** How much of a cluster is not ready. */
export type Disruption = 'normal' | 'partial' | 'full';

/** From this share of nodes on, the network is the likelier cause than the nodes. */
const unhealthyShare = 0.55;
/** Up to so many nodes, nothing new is evicted during a partial disruption; beyond that it is done slowly. */
const smallCluster = 50;

/**
 * Judges the cluster as one zone, by the rules of Kubernetes: all nodes away is taken for a
 * failure on our side, most of them (and more than two) for one of the network.
 */
export function disruptionOf(ready: number, notReady: number): Disruption {
  if (ready === 0 && notReady > 0) return 'full';
  return notReady > 2 && notReady / (ready + notReady) >= unhealthyShare ? 'partial' : 'normal';
}

/** Returns the rate, in nodes per second, at which pods may be evicted from further nodes. */
export function evictionsPerSecond(disruption: Disruption, nodes: number): number {
  if (disruption === 'full') return 0;
  if (disruption === 'normal') return 0.1;
  return nodes > smallCluster ? 0.01 : 0;
}
