import type { Amounts } from '@slipway/kube-objects/rules/amounts';
import type { NodeState } from '../view/node-state.js';
import { most, type Score } from './score.js';

const resources = ['cpu', 'memory'] as const;

/** Nodes with more left of cpu and memory once the pod is there. */
export const leastAllocated: Score = {
  weight: 1,
  rate: ({ loadBeforehand }, feasible) => feasible.map((state) => unused(state, loadBeforehand)),
};

/** Nodes whose cpu and memory are used to a more equal degree once the pod is there. */
export const balancedAllocation = ofBalance((state, amounts) => balance(state, amounts));

/** Nodes on which the pod makes that degree more equal than it was: 75 where it stays as it was. */
export const balanceGained = ofBalance((state, amounts) => {
  const gained = balance(state, amounts) - balance(state, nothing);
  return most / 2 + Math.floor((most / 2 + gained) / 2);
});

const nothing: Amounts = new Map();

/** A pod that asks for neither is not rated: many of them would go to one node. */
function ofBalance(rating: (state: NodeState, amounts: Amounts) => number): Score {
  return {
    weight: 1,
    rate({ amounts }, feasible) {
      if (resources.every((name) => !amounts.get(name))) return undefined;
      return feasible.map((state) => rating(state, amounts));
    },
  };
}

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

function balance(state: NodeState, more: Amounts): number {
  const [cpu, memory] = [usedShare(state, 'cpu', more), usedShare(state, 'memory', more)];
  if (cpu === undefined || memory === undefined) return most;
  return Math.floor((1 - Math.abs(cpu - memory) / 2) * most);
}

/** How much of a resource is used with `more`, from 0 to 1; undefined when the node has none of it. */
function usedShare({ used, allocatable }: NodeState, name: string, more: Amounts): number | undefined {
  const all = allocatable.get(name) ?? 0;
  return all === 0 ? undefined : Math.min(1, ((used.get(name) ?? 0) + (more.get(name) ?? 0)) / all);
}
