import type { Node } from '../controllers/api/nodes.js';
import type { Pod } from '../controllers/api/pods.js';
import { type Amounts, amountsOfList, amountsOfPod, minus, plus } from './amounts.js';

/** A node with what is spoken for on it. Never changed in place. */
export interface NodeState {
  readonly node: Node;
  readonly allocatable: Amounts;
  /** What the pods on it take, those included that were only just given to it. */
  readonly used: Amounts;
  /** The same for scoring, where a pod that asks for nothing still weighs something. */
  readonly load: Amounts;
  /** Ports of the node itself that are taken, as `protocol/port`. */
  readonly hostPorts: ReadonlySet<string>;
}

/** What a pod will take, worked out once. */
export interface Demand {
  readonly pod: Pod;
  readonly amounts: Amounts;
  readonly load: Amounts;
  readonly hostPorts: readonly string[];
}

/** What a container without requests counts for in scores: 100 millicpu and 200 MiB. */
const assumed = { cpu: 100, memory: 200 * 1024 * 1024 } as const;

/** @throws QuantityError when a request of the pod cannot be read. */
export function demandOf(pod: Pod): Demand {
  const amounts = amountsOfPod(pod);
  const containers = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  const unasked = (name: 'cpu' | 'memory') =>
    pod.spec.containers.filter(({ resources }) => resources?.requests?.[name] === undefined).length * assumed[name];
  return {
    pod,
    amounts,
    load: new Map([
      ['cpu', (amounts.get('cpu') ?? 0) + unasked('cpu')],
      ['memory', (amounts.get('memory') ?? 0) + unasked('memory')],
    ]),
    hostPorts: containers.flatMap(({ ports = [] }) =>
      ports.flatMap(({ hostPort, containerPort, protocol = 'TCP' }) => {
        const port = hostPort || (pod.spec.hostNetwork ? containerPort : 0);
        return port ? [`${protocol}/${port}`] : [];
      }),
    ),
  };
}

/** A node with these pods on it. @throws QuantityError when its allocatable cannot be read. */
export function nodeState(node: Node, demands: Iterable<Demand>): NodeState {
  const none: Amounts = new Map();
  const empty = {
    node,
    allocatable: amountsOfList(node.status?.allocatable),
    used: none,
    load: none,
    hostPorts: new Set<string>(),
  };
  let state: NodeState = empty;
  for (const demand of demands) state = withPod(state, demand);
  return state;
}

/** The state with one pod more. */
export function withPod(state: NodeState, { amounts, load, hostPorts }: Demand): NodeState {
  return {
    ...state,
    used: plus(state.used, amounts),
    load: plus(state.load, load),
    hostPorts: hostPorts.length > 0 ? new Set([...state.hostPorts, ...hostPorts]) : state.hostPorts,
  };
}

/** The state with one pod less. */
export function withoutPod(state: NodeState, { amounts, load, hostPorts }: Demand): NodeState {
  return {
    ...state,
    used: minus(state.used, amounts),
    load: minus(state.load, load),
    hostPorts:
      hostPorts.length > 0
        ? new Set([...state.hostPorts].filter((port) => !hostPorts.includes(port)))
        : state.hostPorts,
  };
}
