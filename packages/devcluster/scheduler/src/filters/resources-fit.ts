import { type Amounts, shortages } from '@slipway/kube-objects/rules/amounts';
import type { Demand } from '../demand/demand.js';
import type { NodeState } from '../view/node-state.js';
import { nodeFilter, type Objection } from './filter.js';

/** A node has room for the requests of a pod, and for one pod more. */
export const resourcesFit = nodeFilter('NodeResourcesFit', shortage, {
  helpedByPod: ({ amounts }, before, after) => {
    const freed = [...before.amounts].filter(([name, amount]) => amount > (after?.amounts.get(name) ?? 0));
    return freed.some(([name]) => (amounts.get(name) ?? 0) > 0);
  },
});

const nothing: Amounts = new Map();

/** What the node has too little of. Incurable when the pod asks for more than an empty node has. */
function shortage({ amounts }: Pick<Demand, 'amounts'>, { used, allocatable }: NodeState): Objection | undefined {
  const short = shortages(amounts, used, allocatable);
  if (short.length === 0) return undefined;
  const reasons = short.map((name) => (name === 'pods' ? 'Too many pods' : `Insufficient ${name}`));
  const neverFits = shortages(amounts, nothing, allocatable).some((name) => name !== 'pods');
  return { reasons, removable: !neverFits };
}
