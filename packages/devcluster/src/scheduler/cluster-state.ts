import type { Node } from '../controllers/api/nodes.js';
import { type Demand, type NodeState, nodeState, withoutPod, withPod } from './node-state.js';

interface Placed {
  readonly nodeName: string;
  readonly demand: Demand;
}

/**
 * Which pods are on which nodes, including those that were just given to one and whose
 * binding is still on its way.
 *
 * Invariant: the state of a node is the sum of exactly the pods placed on it.
 */
export class ClusterState {
  readonly #nodes = new Map<string, NodeState>();
  readonly #pods = new Map<string, Placed>();
  readonly #byNode = new Map<string, Map<string, Demand>>();

  /** The nodes that can be scheduled to, in the order they came. */
  nodes(): readonly NodeState[] {
    return [...this.#nodes.values()];
  }

  putNode(node: Node): void {
    const name = node.metadata.name ?? '';
    this.#nodes.set(name, nodeState(node, this.#byNode.get(name)?.values() ?? []));
  }

  removeNode(name: string): void {
    this.#nodes.delete(name);
  }

  /** Whether the pod is placed, by us or by others. */
  has(uid: string): boolean {
    return this.#pods.has(uid);
  }

  /** A pod is on this node, or about to be. The last word counts. */
  place(uid: string, nodeName: string, demand: Demand): void {
    if (this.#pods.get(uid)?.nodeName === nodeName) return;
    this.remove(uid);
    this.#pods.set(uid, { nodeName, demand });
    const onNode = this.#byNode.get(nodeName) ?? new Map<string, Demand>();
    this.#byNode.set(nodeName, onNode.set(uid, demand));
    const state = this.#nodes.get(nodeName);
    if (state) this.#nodes.set(nodeName, withPod(state, demand));
  }

  /** The pod takes nothing any more. Returns whether it did. */
  remove(uid: string): boolean {
    const placed = this.#pods.get(uid);
    if (!placed) return false;
    const { nodeName, demand } = placed;
    this.#pods.delete(uid);
    const onNode = this.#byNode.get(nodeName);
    onNode?.delete(uid);
    if (onNode?.size === 0) this.#byNode.delete(nodeName);
    const state = this.#nodes.get(nodeName);
    if (state) this.#nodes.set(nodeName, withoutPod(state, demand));
    return true;
  }
}
