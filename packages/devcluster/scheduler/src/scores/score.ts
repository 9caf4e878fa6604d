import type { Demand } from '../demand/demand.js';
import type { ClusterView } from '../view/cluster-view.js';
import type { NodeState } from '../view/node-state.js';

/** A preference among nodes that can take a pod. */
export interface Score {
  /** How much it counts beside others. */
  readonly weight: number;
  /** Points from 0 to `most` for each of `feasible`; undefined when all are alike. */
  readonly rate: (
    demand: Demand,
    feasible: readonly NodeState[],
    cluster: ClusterView,
  ) => readonly number[] | undefined;
}

/** The best rating that a node can get. */
export const most = 100;

/** Stretches counts of good things to the whole scale. */
export function stretched(counts: readonly number[]): readonly number[] {
  const highest = Math.max(...counts);
  return highest === 0 ? counts : counts.map((count) => Math.floor((most * count) / highest));
}

/** The same for bad things: none of them is best. */
export function stretchedDown(counts: readonly number[]): readonly number[] {
  return stretched(counts).map((points) => most - points);
}
