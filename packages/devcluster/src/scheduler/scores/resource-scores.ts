import type { Amounts } from '../amounts.js';
import type { NodeState } from '../node-state.js';
import { most, type Score } from './score.js';

const resources = ['cpu', 'memory'] as const;

/** Nodes with more left of cpu and memory once the pod is there. */
export const leastAllocated: Score = {
  weight: 1,
  rate: ({ load }, feasible) => feasible.map((state) => unused(state, load)),
};

/** Nodes whose cpu and memory are used to a more equal degree once the pod is there. */
export const balancedAllocation: Score = {
  weight: 1,
  rate({ amounts }, feasible) {
    if (resources.every((name) => !amounts.get(name))) return undefined;
    return feasible.map((state) => balance(state, amounts));
  },
};

function unused({ load, allocatable }: NodeState, more: Amounts): number {
  let [sum, count] = [0, 0];
  for (const name of resources) {
    const all = allocatable.get(name) ?? 0;
    if (all === 0) continue;
    const free = all - (load.get(name) ?? 0) - (more.get(name) ?? 0);
    sum += free > 0 ? Math.floor((free * most) / all) : 0;
    count += 1;
  }
  return count === 0 ? 0 : Math.floor(sum / count);
}

function balance({ used, allocatable }: NodeState, more: Amounts): number {
  const shares = resources.flatMap((name) => {
    const all = allocatable.get(name) ?? 0;
    return all === 0 ? [] : Math.min(1, ((used.get(name) ?? 0) + (more.get(name) ?? 0)) / all);
  });
  const [cpu, memory] = shares;
  if (cpu === undefined || memory === undefined) return most;
  return Math.floor((1 - Math.abs(cpu - memory) / 2) * most);
}
