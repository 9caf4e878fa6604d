import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import { type Amounts, amountsOfList, minus, plus } from '@slipway/kube-objects/rules/amounts';
import type { HostPort } from '@slipway/kube-objects/rules/host-ports';
import { type Demand, hasCompany } from '../demand/demand.js';

/** A node with what is spoken for on it. Never changed in place. */
export interface NodeState {
  readonly name: string;
  readonly node: Node;
  readonly allocatable: Amounts;
  /** The pods on it, those included that were only just given to it. */
  readonly pods: readonly Demand[];
  /** Those of them with rules about other pods. */
  readonly sociable: readonly Demand[];
  /** What the pods on it take. */
  readonly used: Amounts;
  /** The same for scoring, where a pod that asks for nothing still weighs something. */
  readonly load: Amounts;
  readonly hostPorts: readonly HostPort[];
}

const nothing: Amounts = new Map();

/** A node with these pods on it. @throws QuantityError when its allocatable cannot be read. */
export function nodeState(node: Node, demands: Iterable<Demand>): NodeState {
  let state: NodeState = {
    name: node.metadata.name ?? '',
    node,
    allocatable: amountsOfList(node.status?.allocatable),
    pods: [],
    sociable: [],
    used: nothing,
    load: nothing,
    hostPorts: [],
  };
  for (const demand of demands) state = withPod(state, demand);
  return state;
}

/** The state with one pod more. */
export function withPod(state: NodeState, demand: Demand): NodeState {
  const { amounts, load, hostPorts } = demand;
  return {
    ...state,
    pods: [...state.pods, demand],
    sociable: hasCompany(demand) ? [...state.sociable, demand] : state.sociable,
    used: plus(state.used, amounts),
    load: plus(state.load, load),
    hostPorts: hostPorts.length > 0 ? [...state.hostPorts, ...hostPorts] : state.hostPorts,
  };
}

/** The state with one pod less: `demand` is one of its `pods`. */
export function withoutPod(state: NodeState, demand: Demand): NodeState {
  const { amounts, load, hostPorts } = demand;
  const others = (demands: readonly Demand[]) => demands.filter((each) => each !== demand);
  return {
    ...state,
    pods: others(state.pods),
    sociable: hasCompany(demand) ? others(state.sociable) : state.sociable,
    used: minus(state.used, amounts),
    load: minus(state.load, load),
    hostPorts: hostPorts.length > 0 ? state.hostPorts.filter((port) => !hostPorts.includes(port)) : state.hostPorts,
  };
}
