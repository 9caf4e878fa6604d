import { type Amounts, shortages } from '@slipway/kube-objects/rules/amounts';
import type { Demand } from '../demand/demand.js';
import { deviceResources, neededOn, type ResourceClasses } from '../devices/extended-resources.js';
import type { NodeState } from '../view/node-state.js';
import { type Filter, nodeFilter, type Objection } from './filter.js';

const ofNodes = nodeFilter('NodeResourcesFit', shortage, {
  helpedByPod: ({ amounts }, before, after) => {
    const freed = [...before.amounts].filter(([name, amount]) => amount > (after?.amounts.get(name) ?? 0));
    return freed.some(([name]) => (amounts.get(name) ?? 0) > 0);
  },
});

/** A node has room for the requests of a pod, and for one pod more. Devices stand for the rest. */
export const resourcesFit: Filter = {
  ...ofNodes,
  prepare(demand, { devices }) {
    const resources = deviceResources(demand.amounts, devices.resourceClasses());
    if (resources.size === 0) return { on: (state) => shortage(demand, state) };
    return { on: (state) => shortage(without(demand.amounts, neededOn(state.allocatable, resources)), state) };
  },
  helpedBy(demand, change, cluster) {
    if (change.kind !== 'devices') return ofNodes.helpedBy(demand, change, cluster);
    return deviceResources(demand.amounts, cluster.devices.resourceClasses()).size > 0;
  },
};

function without(amounts: Amounts, left: ResourceClasses): { readonly amounts: Amounts } {
  return { amounts: new Map([...amounts].filter(([name]) => !left.has(name))) };
}

const nothing: Amounts = new Map();

/** What the node has too little of. Incurable when the pod asks for more than an empty node has. */
function shortage({ amounts }: Pick<Demand, 'amounts'>, { used, allocatable }: NodeState): Objection | undefined {
  const short = shortages(amounts, used, allocatable);
  if (short.length === 0) return undefined;
  const reasons = short.map((name) => (name === 'pods' ? 'Too many pods' : `Insufficient ${name}`));
  const neverFits = shortages(amounts, nothing, allocatable).some((name) => name !== 'pods');
  return { reasons, removable: !neverFits };
}
