import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { Demand } from '../demand/demand.js';
import { type NodeState, nodeState, withoutPod, withPod } from './node-state.js';

interface Placed {
  readonly nodeName: string;
  readonly demand: Demand;
}

/**
 * Which pods are on which nodes, including those that were just given to one and whose binding is
 * still on its way; and for which pods room is being made where.
 *
 * Invariant: the state of a node is the sum of exactly the pods placed on it.
 */
export class ClusterState {
  readonly #nodes = new Map<string, NodeState>();
  readonly #pods = new Map<string, Placed>();
  readonly #byNode = new Map<string, Map<string, Demand>>();
  readonly #nominated = new Map<string, Placed>();
  readonly #sociable = new Map<string, NodeState>();
  #listed: readonly NodeState[] | undefined;

  /** The nodes that can be scheduled to, in the order they came. */
  nodes(): readonly NodeState[] {
    this.#listed ??= [...this.#nodes.values()];
    return this.#listed;
  }

  /** Those of them on which pods have rules about other pods. */
  sociable(): readonly NodeState[] {
    return [...this.#sociable.values()];
  }

  node(name: string): NodeState | undefined {
    return this.#nodes.get(name);
  }

  putNode(node: Node): void {
    const name = node.metadata.name ?? '';
    this.#put(nodeState(node, this.#byNode.get(name)?.values() ?? []));
  }

  removeNode(name: string): void {
    this.#nodes.delete(name);
    this.#sociable.delete(name);
    this.#listed = undefined;
  }

  /** Whether the pod is placed, by us or by others. */
  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  /** A pod is on this node, or about to be. The last word counts. Returns what it was there before. */
  place(nodeName: string, demand: Demand): Demand | undefined {
    const before = this.remove(demand.uid);
    this.#pods.set(demand.uid, { nodeName, demand });
    const onNode = this.#byNode.get(nodeName) ?? new Map<string, Demand>();
    this.#byNode.set(nodeName, onNode.set(demand.uid, demand));
    const state = this.#nodes.get(nodeName);
    if (state) this.#put(withPod(state, demand));
    return before;
  }

  /** The pod takes nothing any more. Returns what it took. */
  remove(uid: string): Demand | undefined {
    this.#nominated.delete(uid);
    const placed = this.#pods.get(uid);
    if (!placed) return undefined;
    const { nodeName, demand } = placed;
    this.#pods.delete(uid);
    const onNode = this.#byNode.get(nodeName);
    onNode?.delete(uid);
    if (onNode?.size === 0) this.#byNode.delete(nodeName);
    const state = this.#nodes.get(nodeName);
    if (state) this.#put(withoutPod(state, demand));
    return demand;
  }

  /** Room is being made for a pod on this node; '' for nowhere any more. */
  nominate(nodeName: string, demand: Demand): void {
    if (nodeName === '') this.#nominated.delete(demand.uid);
    else this.#nominated.set(demand.uid, { nodeName, demand });
  }

  /** Pods for which room is being made, by node. */
  nominated(): ReadonlyMap<string, readonly Demand[]> {
    const byNode = new Map<string, Demand[]>();
    for (const { nodeName, demand } of this.#nominated.values()) {
      byNode.set(nodeName, [...(byNode.get(nodeName) ?? []), demand]);
    }
    return byNode;
  }

  #put(state: NodeState): void {
    this.#nodes.set(state.name, state);
    if (state.sociable.length > 0) this.#sociable.set(state.name, state);
    else this.#sociable.delete(state.name);
    this.#listed = undefined;
  }
}
