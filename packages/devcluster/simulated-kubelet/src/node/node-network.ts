import { type Transport, UnreachableError } from '@slipway/kube';

/**
 * The network between kubelets and the API server: it can be cut for one node
 * and mended again. Knows nothing of nodes but their names.
 */
export class NodeNetwork {
  readonly #links = new Map<string, AbortController>();
  readonly #onMended = new Set<(nodeName: string) => void>();

  /** From now on no request of this node gets an answer, and its watches end. */
  cut(nodeName: string): void {
    this.#linkOf(nodeName).abort(new UnreachableError(`node ${nodeName} is cut off from the API server`));
  }

  /** The node reaches the API server again. */
  mend(nodeName: string): void {
    if (!this.isCut(nodeName)) return;
    this.#links.delete(nodeName);
    for (const tell of this.#onMended) tell(nodeName);
  }

  isCut(nodeName: string): boolean {
    return this.#links.get(nodeName)?.signal.aborted ?? false;
  }

  /** Has `tell` called each time the network of a node was mended. */
  onMended(tell: (nodeName: string) => void): void {
    this.#onMended.add(tell);
  }

  /** `transport` as this node has it. While the network is cut it throws `UnreachableError`. */
  through(nodeName: string, transport: Transport): Transport {
    const linkOf = () => this.#linkOf(nodeName).signal;
    return {
      async request(request) {
        const link = linkOf();
        link.throwIfAborted();
        const answer = await transport.request(request);
        link.throwIfAborted();
        return answer;
      },
      async *stream(request, signal) {
        const link = linkOf();
        link.throwIfAborted();
        yield* transport.stream(request, AbortSignal.any([signal, link]));
        link.throwIfAborted();
      },
    };
  }

  #linkOf(nodeName: string): AbortController {
    const link = this.#links.get(nodeName) ?? new AbortController();
    this.#links.set(nodeName, link);
    return link;
  }
}
