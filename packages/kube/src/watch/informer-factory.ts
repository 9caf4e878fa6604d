import type { Kube } from '../client/client.js';
import type { Selection } from '../client/resource-client.js';
import { type Logger, stderrLog } from '../log/logger.js';
import { apiVersionOf, type KubeObject, type ResourceRef } from '../transport/objects.js';
import { createInformer, type Informer } from './informer.js';
import { Reflector } from './reflector.js';

export interface InformerOptions<T extends KubeObject = KubeObject> extends Selection {
  /** What is kept of each object. Informers are shared only if this is the same function. */
  readonly transform?: (object: T) => T;
}

export interface InformerFactoryOptions {
  readonly log?: Logger;
  /** Numbers from 0 up to 1, for jitter; those of the `Kube` when absent. */
  readonly random?: () => number;
}

/** Informers of one process: who asks for the same objects gets the same informer. */
export class InformerFactory {
  readonly #kube: Kube;
  readonly #log: Logger;
  readonly #random: () => number;
  readonly #informers: { readonly key: string; readonly transform: unknown; readonly informer: Informer }[] = [];
  #isStarted = false;

  constructor(kube: Kube, options: InformerFactoryOptions = {}) {
    this.#kube = kube;
    this.#log = options.log ?? stderrLog;
    this.#random = options.random ?? kube.random;
  }

  /** The informer of a selection; started at once if the factory is. */
  informer<T extends KubeObject>(resource: ResourceRef<T>, options: InformerOptions<T> = {}): Informer<T> {
    const { namespace, labelSelector, fieldSelector, transform } = options;
    const selection: Selection = { namespace, labelSelector, fieldSelector };
    const key = JSON.stringify([
      apiVersionOf(resource),
      resource.plural,
      namespace ?? '',
      labelSelector ?? '',
      fieldSelector ?? '',
    ]);
    const known = this.#informers.find((entry) => entry.key === key && entry.transform === transform);
    if (known) return known.informer as unknown as Informer<T>;

    const informer = createInformer<T>({
      transform,
      log: this.#log,
      reflect: (sink, signal) =>
        new Reflector({
          client: this.#kube.resource(resource),
          selection,
          sink,
          clock: this.#kube.clock,
          random: this.#random,
          log: this.#log,
        }).run(signal),
    });
    this.#informers.push({ key, transform, informer: informer as unknown as Informer });
    if (this.#isStarted) informer.start();
    return informer;
  }

  /** Starts every informer, those asked for later included. */
  start(): void {
    this.#isStarted = true;
    for (const { informer } of this.#informers) informer.start();
  }

  /** Whether all informers asked for so far have their first list. */
  synced(): boolean {
    return this.#informers.every(({ informer }) => informer.synced());
  }

  /** Waits for the first list of every informer asked for so far. Rejects when `signal` aborts. */
  async whenSynced(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.#informers.map(({ informer }) => informer.whenSynced(signal)));
  }

  /** Stops every informer for good. */
  async stop(): Promise<void> {
    await Promise.all(this.#informers.map(({ informer }) => informer.stop()));
  }
}
