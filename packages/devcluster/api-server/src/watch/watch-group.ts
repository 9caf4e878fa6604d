import { type KubeObject, stringifyJson } from '@slipway/kube';
import type { Entry, Store, StoreEvent } from '@slipway/object-store/store';
import type { Conversion } from '../conversion/conversion.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { type Served, serve } from '../response/payloads.js';
import type { FrameMaker, WatchFrame } from './frames.js';

/** Which events a group hands on, and in which form. */
export interface GroupSpec {
  readonly definition: ResourceDefinition;
  /** '' for all namespaces. */
  readonly namespace: string;
  /** '' for all names. */
  readonly name: string;
  readonly matches: ((object: KubeObject) => boolean) | undefined;
  readonly frames: FrameMaker;
}

export interface GroupMember {
  /** Events up to this revision are not for it: it has them from the state it began with. */
  readonly after: number;
  receive(frame: WatchFrame): void;
  end(): void;
}

/** Watchers that want the same: one look at the selector and one encoding per event for all of them. */
export class WatchGroup {
  readonly #spec: GroupSpec;
  readonly #store: Store;
  readonly #conversion: Conversion;
  /** Events whose objects a webhook has still to convert. */
  #converting: Promise<void> = Promise.resolve();
  readonly #members = new Set<GroupMember>();
  #subscription: { close(): void } | undefined;

  constructor(store: Store, conversion: Conversion, spec: GroupSpec) {
    this.#store = store;
    this.#conversion = conversion;
    this.#spec = spec;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  join(member: GroupMember): void {
    this.#members.add(member);
    if (this.#subscription) return;
    const { conversion, storedAs } = this.#spec.definition;
    const onEvent = (event: StoreEvent) => (conversion ? this.#onLater(event) : this.#onEvent(event));
    this.#subscription = this.#store.watch(storedAs, this.#store.revision, onEvent);
  }

  leave(member: GroupMember): void {
    this.#members.delete(member);
    if (!this.isEmpty) return;
    this.#subscription?.close();
    this.#subscription = undefined;
  }

  /** Ends every member's stream. */
  end(): void {
    for (const member of [...this.#members]) member.end();
  }

  /**
   * Converts what a member begins with: the present state, or what happened after a revision. Undefined when all of that can
   * be served; otherwise more may have come by the time it resolves.
   * @throws StatusError, by the promise, when a webhook does not convert an object
   * @throws CompactedError when that is not known any more
   */
  prepare(after: number | undefined): Promise<void> | undefined {
    const { definition } = this.#spec;
    if (!definition.conversion) return undefined;
    const entries: Entry[] = [];
    if (after === undefined) {
      entries.push(...this.#store.list(definition.storedAs, {}).entries.filter((entry) => this.#names(entry)));
    } else {
      const gather = (event: StoreEvent) => entries.push(...this.#entriesOf(event));
      this.#store.watch(definition.storedAs, after, gather).close();
    }
    return this.#conversion.prepare(definition, entries);
  }

  /** What the selection holds now, as the events that would have made it. */
  state(): WatchFrame[] {
    const { definition, namespace, name, frames } = this.#spec;
    if (name !== '' && (namespace !== '' || !definition.namespaced)) {
      const entry = this.#store.get(definition.storedAs, namespace, name);
      return entry && this.#selects(entry) ? [frames.make('ADDED', serve(definition, entry))] : [];
    }
    const { entries } = this.#store.list(definition.storedAs, { namespace: namespace === '' ? undefined : namespace });
    return entries
      .filter((entry) => this.#selects(entry))
      .map((entry) => frames.make('ADDED', serve(definition, entry)));
  }

  /**
   * What happened in the selection after a revision.
   *
   * @throws CompactedError when that is not known any more.
   */
  history(after: number): WatchFrame[] {
    const frames: WatchFrame[] = [];
    const { storedAs } = this.#spec.definition;
    const replay = this.#store.watch(storedAs, after, (event) => {
      const frame = this.#frameOf(event);
      if (frame) frames.push(frame);
    });
    replay.close();
    return frames;
  }

  /** Events keep their order; without its object an event cannot be told, and the members have to list again. */
  #onLater(event: StoreEvent): void {
    const entries = this.#entriesOf(event);
    this.#converting = this.#converting
      .then(() => this.#conversion.prepare(this.#spec.definition, entries))
      .then(
        () => this.#onEvent(event),
        () => this.end(),
      );
  }

  /** The states of an event that its frame is made of. */
  #entriesOf({ entry, previous }: StoreEvent): Entry[] {
    if (!this.#names(entry)) return [];
    return previous && this.#spec.matches ? [previous, entry] : [entry];
  }

  #onEvent(event: StoreEvent): void {
    const frame = this.#frameOf(event);
    if (!frame) return;
    for (const member of [...this.#members]) if (event.entry.revision > member.after) member.receive(frame);
  }

  /** An object that enters the selection is ADDED to it and one that leaves is DELETED from it, whatever happened to it. */
  #frameOf(event: StoreEvent): WatchFrame | undefined {
    const { definition, matches, frames } = this.#spec;
    const { entry, previous, type } = event;
    if (!this.#names(entry)) return undefined;
    if (!matches) return frames.make(type, serve(definition, entry));
    const was = previous !== undefined && matches(serve(definition, previous).object);
    if (type === 'DELETED') return was ? frames.make('DELETED', serve(definition, entry)) : undefined;
    const is = matches(serve(definition, entry).object);
    if (is) return frames.make(was ? 'MODIFIED' : 'ADDED', serve(definition, entry));
    return was && previous ? frames.make('DELETED', departed(serve(definition, previous), entry)) : undefined;
  }

  #names(entry: Entry): boolean {
    const { namespace, name } = this.#spec;
    return (namespace === '' || entry.namespace === namespace) && (name === '' || entry.name === name);
  }

  #selects(entry: Entry): boolean {
    const { definition, matches } = this.#spec;
    return this.#names(entry) && (!matches || matches(serve(definition, entry).object));
  }
}

/** The last state that was selected, at the revision of the write that ended it. */
function departed({ object }: Served, by: Entry): Served {
  const metadata = { ...object.metadata, resourceVersion: String(by.revision) };
  const last = { ...object, metadata };
  return { object: last, json: stringifyJson(last) };
}
