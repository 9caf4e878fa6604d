import { NodeSize } from '@slipway/balloons';
import { type Informer, InformerFactory, type Kube, silentLog } from '@slipway/kube';

/**
 * Follows NodeSizes until the controller has answered what was asked of them: a request is
 * answered when its ID has come back and no resize is at work.
 */
export class AnswerWatch implements AsyncDisposable {
  readonly #informers: InformerFactory;
  readonly #sizes: Informer<NodeSize>;
  readonly #waiting = new Map<string, (size: NodeSize) => void>();

  constructor(kube: Kube) {
    this.#informers = new InformerFactory(kube, { log: silentLog });
    this.#sizes = this.#informers.informer(NodeSize);
    this.#sizes.onChange(({ object }) => this.#waiting.get(object.metadata.name ?? '')?.(object));
    this.#informers.start();
  }

  /** The newest NodeSize of a node that is known. */
  newest(node: string): NodeSize | undefined {
    return this.#sizes.lister.get({ name: node });
  }

  /** Resolves with the NodeSize that answers a request, undefined when none has come in time. */
  answer(node: string, requestID: string, withinMs: number, signal: AbortSignal): Promise<NodeSize | undefined> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => end(() => resolve(undefined)), withinMs);
      const aborted = () => end(() => reject(signal.reason));
      const end = (settle: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', aborted);
        this.#waiting.delete(node);
        settle();
      };
      const look = (size: NodeSize) => {
        const { observedRequestID, resize } = size.status ?? {};
        if (observedRequestID === requestID && !resize) end(() => resolve(size));
      };
      signal.addEventListener('abort', aborted, { once: true });
      this.#waiting.set(node, look);
      const known = this.newest(node);
      if (known) look(known);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#informers.stop();
  }
}
