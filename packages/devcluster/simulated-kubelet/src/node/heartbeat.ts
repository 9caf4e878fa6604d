const ordinaryMs = 10_000;
/** A node may be silent for 40 s before it counts as lost: this leaves time to try again. */
const rarestMs = 25_000;
const nodesPerSecond = 50;

/**
 * Returns the interval at which kubelets renew their leases in a cluster of so many nodes: 10 s, as real ones do.
 * Simulated nodes share the processor with the API server, so beyond 500 of them it is up to 25 s, which keeps every
 * lease valid all the same.
 */
export function heartbeatMs(nodes: number): number {
  return Math.min(rarestMs, Math.max(ordinaryMs, (nodes / nodesPerSecond) * 1000));
}

/** So many nodes may beat at once. */
const atOnce = 10;

/** When the node with this number, counted from 0, beats first after it registered: those of a larger fleet not all at once. */
export function firstHeartbeatMs(nodes: number, nodeNumber: number): number {
  const everyMs = heartbeatMs(nodes);
  return nodes <= atOnce ? everyMs : (everyMs * ((nodeNumber % nodesPerSecond) + 1)) / nodesPerSecond;
}
