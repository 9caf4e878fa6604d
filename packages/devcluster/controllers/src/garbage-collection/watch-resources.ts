import { yieldToEventLoop } from '@slipway/api-machinery/event-loop/yield-to-event-loop';
import {
  apiVersionOf,
  type DiscoveredResource,
  type Informer,
  InformerFactory,
  Kube,
  type KubeObject,
  type Logger,
  type Timer,
} from '@slipway/kube';
import { metadataTransport } from './metadata-transport.js';
import type { GraphNode, OwnerGraph } from './owner-graph.js';

const refreshMs = 30_000;
/** A new resource is announced a moment after its definition is stored. */
const afterChangeMs = 200;

export interface WatchResourcesOptions {
  readonly kube: Kube;
  readonly log: Logger;
  readonly graph: OwnerGraph;
  /** An object appeared or changed. `unblocked`: UIDs of the owners that it no longer blocks. */
  readonly onObject: (node: GraphNode, unblocked: readonly string[]) => void;
  /** An object is gone; the graph no longer has it. */
  readonly onGone: (object: KubeObject) => void;
}

interface Watched {
  readonly resource: DiscoveredResource;
  readonly factory: InformerFactory;
  readonly informer: Informer;
}

/**
 * Keeps the graph of owners up to date with every resource the server has, also those
 * that come and go while it runs. Only metadata is kept.
 */
export class ResourceWatch {
  readonly #options: WatchResourcesOptions;
  /** Answers metadata where objects are asked for. */
  readonly #bare: Kube;
  readonly #watched = new Map<string, Watched>();
  #resources: readonly DiscoveredResource[] = [];
  #refreshing: Promise<void> = Promise.resolve();
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(options: WatchResourcesOptions) {
    this.#options = options;
    const { transport, clock, random } = options.kube;
    this.#bare = new Kube(metadataTransport(transport), { clock, random, fieldManager: 'kube-controller-manager' });
  }

  /** Resolves once every resource that is there now has been listed. */
  async start(signal: AbortSignal): Promise<void> {
    await this.refresh();
    for (const { informer } of this.#watched.values()) await informer.whenSynced(signal);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#refreshing;
    await Promise.all([...this.#watched.values()].map(({ factory }) => factory.stop()));
  }

  /** The resource of a kind, as last discovered. */
  find({ group, kind }: { readonly group: string; readonly kind: string }): DiscoveredResource | undefined {
    return this.#resources.find((resource) => resource.group === group && resource.kind === kind);
  }

  /** Asks the server what it has, and watches that. */
  refresh(): Promise<void> {
    this.#refreshing = this.#refreshing.then(() => this.#refresh());
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    if (this.#isStopped) return;
    this.#timer?.cancel();
    try {
      const { resources } = await this.#options.kube.discover();
      this.#resources = resources;
      const wanted = preferred(resources.filter(isCollected));
      let changed = 0;
      for (const [id, { resource, factory }] of this.#watched) {
        if (wanted.get(id)?.version === resource.version) continue;
        if (++changed % betweenYields === 0) await yieldToEventLoop();
        this.#watched.delete(id);
        this.#options.graph.removeResource(resource);
        await factory.stop();
      }
      for (const [id, resource] of wanted) {
        if (this.#watched.has(id)) continue;
        this.#watch(id, resource);
        if (++changed % betweenYields === 0) await yieldToEventLoop();
      }
    } catch (error) {
      this.#options.log.warn('garbage collection could not discover resources, trying again', { error });
    }
    if (!this.#isStopped) this.#timer = this.#options.kube.clock.after(refreshMs, () => void this.refresh());
  }

  #watch(id: string, resource: DiscoveredResource): void {
    const { log, graph, onObject, onGone } = this.#options;
    const factory = new InformerFactory(this.#bare, { log });
    const informer = factory.informer(resource, { transform: (object) => nodeOf(resource, object) });
    informer.onChange(({ type, object }) => {
      if (type === 'deleted') {
        graph.remove(object.metadata.uid ?? '');
        onGone(object);
      } else {
        const node = { resource, object };
        onObject(node, graph.put(node));
      }
      if (resource.plural === 'customresourcedefinitions') this.#refreshSoon();
    });
    factory.start();
    this.#watched.set(id, { resource, factory, informer });
  }

  #refreshSoon(): void {
    this.#timer?.cancel();
    this.#timer = this.#options.kube.clock.after(afterChangeMs, () => void this.refresh());
  }
}

/** Watches that begin or end in one tick: hundreds of kinds may be defined at once. */
const betweenYields = 20;

/** Events are many, short-lived, and have no owner. */
function isCollected({ plural, group, verbs }: DiscoveredResource): boolean {
  const isEvent = plural === 'events' && (group === '' || group === 'events.k8s.io');
  return !isEvent && ['list', 'watch', 'delete'].every((verb) => verbs.includes(verb));
}

/** Each resource in the version that the server prefers: another may have to be converted by a webhook. */
function preferred(resources: readonly DiscoveredResource[]): Map<string, DiscoveredResource> {
  const found = new Map<string, DiscoveredResource>();
  for (const resource of resources) {
    const id = `${resource.plural}.${resource.group}`;
    if (!found.has(id)) found.set(id, resource);
  }
  return found;
}

const ofUse = [
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'deletionTimestamp',
  'finalizers',
  'ownerReferences',
] as const;

/** What the graph needs of an object, under its own kind again. */
function nodeOf(resource: DiscoveredResource, { metadata }: KubeObject): KubeObject {
  const kept: Record<string, unknown> = {};
  for (const field of ofUse) if (metadata[field]) kept[field] = metadata[field];
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: kept };
}
