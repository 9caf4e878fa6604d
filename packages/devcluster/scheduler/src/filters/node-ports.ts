import { collide } from '@slipway/kube-objects/rules/host-ports';
import type { Demand } from '../demand/demand.js';
import { nodeFilter, removable } from './filter.js';

/** Ports of a node are taken by one pod each. */
export const nodePorts = nodeFilter(
  'NodePorts',
  (demand, state) =>
    sharesPort(demand, state) ? removable("node(s) didn't have free ports for the requested pod ports") : undefined,
  {
    concerns: ({ hostPorts }) => hostPorts.length > 0,
    helpedByPod: (demand, before, after) => after === undefined && sharesPort(demand, before),
  },
);

function sharesPort(demand: Demand, { hostPorts }: Pick<Demand, 'hostPorts'>): boolean {
  return demand.hostPorts.some((port) => hostPorts.some((taken) => collide(port, taken)));
}
