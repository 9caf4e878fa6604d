import { runInSlices } from '@slipway/api-machinery/event-loop/run-in-slices';
import {
  EventRecorder,
  hasReason,
  type Kube,
  type Logger,
  type OwnerReference,
  type Runnable,
  refOf,
  WorkQueue,
} from '@slipway/kube';
import { mayFinishForeground } from './foreground.js';
import { letGo, orphan } from './let-go.js';
import {
  canOwn,
  decideDependent,
  foregroundFinalizer,
  type GraphNode,
  isHeldBy,
  OwnerGraph,
  type OwnerState,
  orphanFinalizer,
  ownersOf,
} from './owner-graph.js';
import { ResourceWatch } from './watch-resources.js';

const workers = 20;
/** UIDs known to be gone; a UID never comes back. */
const remembered = 10_000;
/**
 * What is made for an owner that is known to be gone stays so long: its maker has not heard of that, and would make
 * another at once, as fast as both can.
 */
const lateMs = 1_000;

export interface GarbageCollectorOptions {
  readonly kube: Kube;
  readonly log: Logger;
}

/**
 * Deletes objects whose owners are all gone, of whatever kind. An owner that is deleted
 * in the foreground, or is to leave orphans, is let go once its dependents are gone or no longer name it.
 *
 * That an owner is not in the graph proves nothing: its kind may be new or its event
 * late. Before an object goes, the server is asked for each owner that was not seen to
 * be deleted. The delete carries UID and revision of what was judged.
 */
export class GarbageCollector implements Runnable {
  readonly name = 'garbage-collector';
  readonly #kube: Kube;
  readonly #log: Logger;
  readonly #events: EventRecorder;
  readonly #graph = new OwnerGraph();
  readonly #queue: WorkQueue<string>;
  readonly #watch: ResourceWatch;
  readonly #gone = new Set<string>();
  #isReady = false;

  constructor({ kube, log }: GarbageCollectorOptions) {
    this.#kube = kube;
    this.#log = log;
    this.#events = new EventRecorder(kube, { component: 'garbage-collector-controller', log });
    this.#queue = new WorkQueue({ clock: kube.clock });
    this.#watch = new ResourceWatch({
      kube,
      log,
      graph: this.#graph,
      onObject: (node, unblocked) => {
        const waits = isHeldBy(node.object, foregroundFinalizer) || isHeldBy(node.object, orphanFinalizer);
        const { uid = '' } = node.object.metadata;
        const isLate = ownersOf(node.object).some((owner) => this.#gone.has(owner.uid));
        if (waits || this.#isInDoubt(node)) this.#queue.addAfter(uid, isLate && !waits ? lateMs : 0);
        for (const owner of unblocked) this.#queue.add(owner);
      },
      onGone: (object) => {
        const { uid = '' } = object.metadata;
        this.#rememberGone(uid);
        for (const dependent of this.#graph.dependentsOf(uid)) this.#queue.add(dependent);
        for (const owner of ownersOf(object)) this.#queue.add(owner.uid);
      },
    });
  }

  ready(): boolean {
    return this.#isReady;
  }

  async start(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#queue.shutDown(), { once: true });
    await this.#watch.start(signal);
    this.#isReady = true;
    await Promise.all(Array.from({ length: workers }, () => this.#work(signal)));
  }

  async stop(): Promise<void> {
    this.#isReady = false;
    await this.#watch.stop();
    await this.#events.flush();
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let uid = await this.#queue.get(); uid !== undefined; uid = await this.#queue.get()) {
      try {
        if (await this.#collect(uid, signal)) this.#queue.forget(uid);
        else this.#queue.addRateLimited(uid);
      } catch (error) {
        if (signal.aborted) return;
        // A conflict only says that it changed since it was judged.
        if (!hasReason(error, 'Conflict')) {
          const object = this.#graph.get(uid)?.object.metadata.name;
          this.#log.warn('garbage collection of an object failed, trying again', { object, error });
        }
        this.#queue.addRateLimited(uid);
      } finally {
        this.#queue.done(uid);
      }
    }
  }

  /**
   * Observes the owners of one object, judges, acts; or lets an object go that waits for its dependents.
   * @returns false when an owner is there that was not seen yet: its deletion before that would cause no event
   */
  async #collect(uid: string, signal: AbortSignal): Promise<boolean> {
    const node = this.#graph.get(uid);
    if (!node) return true;
    if (isHeldBy(node.object, orphanFinalizer)) {
      await orphan(this.#kube, node, this.#dependentsOf(uid), signal);
      await letGo(this.#kube, node, orphanFinalizer, signal);
      return true;
    }
    if (isHeldBy(node.object, foregroundFinalizer)) {
      await this.#finishForeground(node, signal);
      return true;
    }
    if (node.object.metadata.deletionTimestamp) return true;
    const states = new Map<string, OwnerState>();
    for (const owner of ownersOf(node.object)) states.set(owner.uid, await this.#stateOf(owner, node, signal));
    const action = decideDependent(node.object, (owner) => states.get(owner.uid) ?? 'unknown');
    const client = this.#kube.resource(node.resource);
    const { resourceVersion = '' } = node.object.metadata;
    switch (action.kind) {
      case 'delete':
        await client.delete(refOf(node.object), {
          preconditions: { uid, resourceVersion },
          propagationPolicy:
            action.inForeground && this.#graph.dependentsOf(uid).length > 0 ? 'Foreground' : 'Background',
          signal,
        });
        break;
      case 'release': {
        const metadata = { uid, resourceVersion, ownerReferences: action.owners };
        await client.merge(refOf(node.object), { metadata }, { signal });
        break;
      }
      case 'undecided':
        this.#queue.addAfter(uid, 5_000);
        break;
      case 'keep':
        return ownersOf(node.object).every((owner) => this.#graph.get(owner.uid));
    }
    return true;
  }

  async #stateOf(owner: OwnerReference, { resource, object }: GraphNode, signal: AbortSignal): Promise<OwnerState> {
    const known = this.#graph.get(owner.uid);
    if (known && canOwn(known.object, object)) {
      return isHeldBy(known.object, foregroundFinalizer) ? 'waiting' : 'there';
    }
    if (known) {
      const { kind, name, uid } = owner;
      const message = `ownerRef [${owner.apiVersion}/${kind}, namespace: ${object.metadata.namespace ?? ''}, name: ${name}, uid: ${uid}] does not exist in namespace "${object.metadata.namespace ?? ''}"`;
      this.#events.event(object, 'Warning', 'OwnerRefInvalidNamespace', message);
      return 'elsewhere';
    }
    if (this.#gone.has(owner.uid)) return 'gone';
    const found = await this.#resourceOf(owner);
    if (!found) return 'unknown';
    // A cluster-scoped object cannot be owned from within a namespace: no namespace says where to look.
    if (found.namespaced && !resource.namespaced) return 'unknown';
    const namespace = found.namespaced ? object.metadata.namespace : undefined;
    const live = await this.#kube.resource(found).find({ name: owner.name, namespace }, signal);
    if (live?.metadata.uid === owner.uid) return 'there';
    this.#rememberGone(owner.uid);
    return 'gone';
  }

  async #resourceOf({ apiVersion, kind }: OwnerReference) {
    const slash = apiVersion.indexOf('/');
    const wanted = { group: slash < 0 ? '' : apiVersion.slice(0, slash), kind };
    const found = this.#watch.find(wanted);
    if (found) return found;
    await this.#watch.refresh();
    return this.#watch.find(wanted);
  }

  /**
   * Queues the dependents that are not being deleted yet, and removes the finalizer once nothing blocks the owner.
   * Dependents that are being deleted are left alone: the end of each queues the owner again.
   */
  async #finishForeground(node: GraphNode, signal: AbortSignal): Promise<void> {
    const { uid = '' } = node.object.metadata;
    for (const { object } of this.#dependentsOf(uid)) {
      if (!object.metadata.deletionTimestamp) this.#queue.add(object.metadata.uid ?? '');
    }
    const mayFinish = await runInSlices(mayFinishForeground(this.#graph, uid), this.#kube.clock);
    if (mayFinish) await letGo(this.#kube, node, foregroundFinalizer, signal);
  }

  #dependentsOf(uid: string): readonly GraphNode[] {
    return this.#graph.dependentsOf(uid).flatMap((dependent) => this.#graph.get(dependent) ?? []);
  }

  /** Whether any owner of the object is not known to hold it. Most objects are not looked at any further. */
  #isInDoubt({ object }: GraphNode): boolean {
    return ownersOf(object).some(({ uid }) => {
      const owner = this.#graph.get(uid)?.object;
      return !owner || isHeldBy(owner, foregroundFinalizer) || !canOwn(owner, object);
    });
  }

  #rememberGone(uid: string): void {
    this.#gone.add(uid);
    const [oldest] = this.#gone;
    if (this.#gone.size > remembered && oldest !== undefined) this.#gone.delete(oldest);
  }
}
