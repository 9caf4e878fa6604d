import { setMaxListeners } from 'node:events';
import type { Kube } from '../client/client.js';
import type { Timer } from '../clock/clock.js';
import { EventRecorder } from '../events/event-recorder.js';
import { type Logger, stderrLog, withFields } from '../log/logger.js';
import { controllerOf } from '../owners/owners.js';
import {
  apiVersionOf,
  type KubeObject,
  keyOf,
  type ObjectRef,
  type ResourceRef,
  refOfKey,
} from '../transport/objects.js';
import type { Change } from '../watch/informer.js';
import type { InformerFactory, InformerOptions } from '../watch/informer-factory.js';
import { TerminalError } from './terminal-error.js';
import { WorkQueue } from './work-queue.js';

/** What a reconciler is given besides the object to look at. */
export interface ReconcileContext {
  /** Aborts when the controller stops: leave then, nothing is lost. */
  readonly signal: AbortSignal;
  /** Wall-clock time in milliseconds. */
  now(): number;
  readonly log: Logger;
  readonly events: EventRecorder;
}

/**
 * Brings the world around one object closer to what it asks for. Called at least
 * once after every change, never twice at a time for one object. It reads what is
 * stored, not what changed; throwing means "try again later".
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a reconciler that has nothing to say returns nothing
export type Reconciler = (ref: ObjectRef, context: ReconcileContext) => Promise<Reconciled | void>;

/** What a reconciler asks for. */
export interface Reconciled {
  /** Look again then, whatever happens until then. */
  readonly requeueAfterMs?: number | undefined;
  /** Do not look again sooner, whatever happens until then: for what costs the more the larger the object is. */
  readonly restMs?: number | undefined;
}

/** Other objects whose changes matter, and for which objects they do. */
export interface Watched {
  readonly of: ResourceRef;
  /** The objects to look at when `object` changed; asked for the state before a change as well. */
  map(object: KubeObject): readonly ObjectRef[];
  readonly options?: InformerOptions;
}

export interface ControllerOptions {
  readonly name: string;
  /** Who its events are from. Default: its name. */
  readonly component?: string;
  readonly kube: Kube;
  readonly informers: InformerFactory;
  /** What it reconciles. */
  readonly for: ResourceRef;
  /** Which of them; all when absent. */
  readonly options?: InformerOptions;
  /** Kinds it makes: a change of one leads to the owner that controls it. */
  readonly owns?: readonly ResourceRef[];
  readonly watches?: readonly Watched[];
  /** How many objects at a time; 1 when absent. */
  readonly workers?: number;
  readonly reconcile: Reconciler;
  /** Looks at every object again this often; never when absent. */
  readonly resyncMs?: number;
  readonly log?: Logger;
}

/** How a controller fares, since it started. */
export interface ControllerCounts {
  readonly reconciled: number;
  readonly failed: number;
  readonly givenUp: number;
  readonly waiting: number;
}

/** Runs a reconciler for every object that changed, with retries. Made inert; `start` makes it work. */
export class Controller {
  readonly name: string;
  readonly #options: ControllerOptions;
  readonly #log: Logger;
  readonly #events: EventRecorder;
  readonly #queue: WorkQueue<string>;
  readonly #stopping = new AbortController();
  readonly #subscriptions: { close(): void }[] = [];
  #workers: Promise<void>[] = [];
  #resync: Timer | undefined;
  #isReady = false;
  #reconciled = 0;
  #failed = 0;
  #givenUp = 0;

  constructor(options: ControllerOptions) {
    const { name, kube, component = name } = options;
    this.name = name;
    this.#options = options;
    this.#log = withFields(options.log ?? stderrLog, { controller: name });
    this.#events = new EventRecorder(kube, { component, log: this.#log });
    this.#queue = new WorkQueue({ clock: kube.clock });
    // Every request of every worker listens to it: many are no leak.
    setMaxListeners(0, this.#stopping.signal);
  }

  /**
   * Follows what it watches and, once those caches are filled, starts working.
   * Resolves when it does. Rejects when stopped before.
   */
  async start(): Promise<void> {
    const { informers, for: resource, options, owns = [], watches = [], workers = 1 } = this.#options;
    const main = informers.informer(resource, options);
    const sources = [
      { informer: main, refsOf: (object: KubeObject): readonly ObjectRef[] => [refOfKey(keyOf(object))] },
      ...owns.map((owned) => ({ informer: informers.informer(owned), refsOf: (o: KubeObject) => this.#ownerRefs(o) })),
      ...watches.map((watched) => ({
        informer: informers.informer(watched.of, watched.options),
        refsOf: (object: KubeObject) => watched.map(object),
      })),
    ];
    for (const { informer, refsOf } of sources) {
      this.#subscriptions.push(informer.onChange((change) => this.#changed(change, refsOf)));
      informer.start();
    }
    await Promise.all(sources.map(({ informer }) => informer.whenSynced(this.#stopping.signal)));
    this.#isReady = true;
    this.#workers = Array.from({ length: workers }, () => this.#work());
    this.#scheduleResync(() => main.lister.list());
  }

  /** Whether its caches are filled and it works. */
  ready(): boolean {
    return this.#isReady;
  }

  counts(): ControllerCounts {
    return { reconciled: this.#reconciled, failed: this.#failed, givenUp: this.#givenUp, waiting: this.#queue.length };
  }

  /** Has an object looked at, for reasons no watch sees. */
  enqueue(ref: ObjectRef, afterMs = 0): void {
    this.#queue.addAfter(ref.namespace ? `${ref.namespace}/${ref.name}` : ref.name, afterMs);
  }

  /** Aborts what runs and waits until it has ended and its events are written. Informers go on: they are shared. */
  async stop(): Promise<void> {
    this.#isReady = false;
    this.#stopping.abort(new Error(`controller ${this.name} was stopped`));
    for (const subscription of this.#subscriptions.splice(0)) subscription.close();
    this.#resync?.cancel();
    this.#queue.shutDown();
    await Promise.all(this.#workers);
    await this.#events.flush();
  }

  #changed({ object, previous }: Change, refsOf: (object: KubeObject) => readonly ObjectRef[]): void {
    for (const ref of refsOf(object)) this.enqueue(ref);
    if (previous) for (const ref of refsOf(previous)) this.enqueue(ref);
  }

  #ownerRefs(owned: KubeObject): readonly ObjectRef[] {
    const resource = this.#options.for;
    const owner = controllerOf(owned);
    const group = owner?.apiVersion.includes('/') ? owner.apiVersion.split('/')[0] : '';
    // Any version of the kind: the owner may have been written through an older one.
    if (!owner || owner.kind !== resource.kind || group !== resource.group) return [];
    return [{ name: owner.name, namespace: resource.namespaced ? owned.metadata.namespace : undefined }];
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    // What stops the controller shuts the queue down.
    for (let key = await this.#queue.get(); key !== undefined; key = await this.#queue.get()) {
      this.#queue.done(key, await this.#reconcile(key, signal));
    }
  }

  /** @returns milliseconds for which the object is to be left alone. */
  async #reconcile(key: string, signal: AbortSignal): Promise<number> {
    const { kube, reconcile, for: resource } = this.#options;
    const log = withFields(this.#log, { object: key });
    try {
      this.#reconciled++;
      const result = await reconcile(refOfKey(key), { signal, now: () => kube.clock.now(), log, events: this.#events });
      this.#queue.forget(key);
      if (result?.requeueAfterMs !== undefined) this.#queue.addAfter(key, Math.max(1, result.requeueAfterMs));
      return result?.restMs ?? 0;
    } catch (error) {
      if (signal.aborted) return 0;
      this.#failed++;
      if (error instanceof TerminalError) {
        this.#givenUp++;
        this.#queue.forget(key);
        log.error('reconciling failed for good', { apiVersion: apiVersionOf(resource), error });
      } else {
        this.#queue.addRateLimited(key);
        log.warn('reconciling failed, trying again', { failures: this.#queue.failures(key), error });
      }
      return 0;
    }
  }

  #scheduleResync(objects: () => readonly KubeObject[]): void {
    const { resyncMs, kube } = this.#options;
    if (resyncMs === undefined) return;
    this.#resync = kube.clock.after(resyncMs, () => {
      for (const object of objects()) this.#queue.add(keyOf(object));
      this.#scheduleResync(objects);
    });
  }
}
