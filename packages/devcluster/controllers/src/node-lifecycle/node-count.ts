import type { Informer } from '@slipway/kube';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import { readiness } from './node-conditions.js';

/**
 * The number of nodes, and of those that are ready, kept up to date: every node that is away asks for it every few
 * seconds, and to look at all of them each time grows with the square of their number.
 */
export class NodeCount {
  readonly #all = new Set<string>();
  readonly #ready = new Set<string>();

  constructor(informer: Pick<Informer<Node>, 'onChange'>) {
    informer.onChange(({ type, object }) => {
      if (type !== 'deleted') return this.look(object);
      const { name = '' } = object.metadata;
      this.#all.delete(name);
      this.#ready.delete(name);
    });
  }

  get total(): number {
    return this.#all.size;
  }

  get ready(): number {
    return this.#ready.size;
  }

  /** Counts a node as it is now; for what was written and is not seen yet. */
  look(node: Node): void {
    const { name = '' } = node.metadata;
    this.#all.add(name);
    if (readiness(node) === 'True') this.#ready.add(name);
    else this.#ready.delete(name);
  }
}
