import type { NodeView } from '../nodes/node-view.js';
import type { Neighbour } from '../pods/neighbour.js';

/** The nodes of a cluster, and the pods on them. */
export class Neighbourhood {
  readonly nodes: readonly NodeView[];
  readonly #pods: Neighbour[] = [];
  readonly #byName: ReadonlyMap<string, NodeView>;
  readonly #on = new Map<string, Neighbour[]>();
  readonly #repelling: Neighbour[] = [];

  constructor(nodes: readonly NodeView[], pods: Iterable<Neighbour>) {
    this.nodes = nodes;
    this.#byName = new Map(nodes.map((node) => [node.name, node]));
    for (const pod of pods) this.add(pod);
  }

  get pods(): readonly Neighbour[] {
    return this.#pods;
  }

  /** Pods with required anti-affinity. */
  get repelling(): readonly Neighbour[] {
    return this.#repelling;
  }

  node(name: string): NodeView | undefined {
    return this.#byName.get(name);
  }

  /** The pods on a node. */
  on(node: string): readonly Neighbour[] {
    return this.#on.get(node) ?? [];
  }

  add(pod: Neighbour): void {
    this.#pods.push(pod);
    if (pod.repels.length > 0) this.#repelling.push(pod);
    const here = this.#on.get(pod.node);
    if (here) here.push(pod);
    else this.#on.set(pod.node, [pod]);
  }
}
