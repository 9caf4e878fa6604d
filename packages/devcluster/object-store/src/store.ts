import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import type { KubeObject } from '@slipway/kube';

/** A text in UTF-8, good until others have their turn: its bytes may be elsewhere by then. */
export interface EncodedText {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** One stored object. Immutable: a later write makes a new entry. */
export interface Entry {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  /** Revision of this write; equals metadata.resourceVersion. */
  readonly revision: number;
  /** Canonical JSON, encoded once: what is on disk, in GET answers, list items and watch frames. */
  readonly json: string;
  /** Characters of `json`, told without reading it; 0 while it was not encoded. */
  readonly size: number;
  /** As `size`; while `json` was not encoded, that of the text that it will be made of. */
  readonly approximateSize: number;
  /** How long the part of `json` is that says its metadata, in UTF-8, noted by who looked for it; 0 until then. */
  metadataBytes: number;
  /** `json` in UTF-8 where it is kept like that, or else as a string. */
  encoded(): EncodedText | string;
  /** The object; parsed when asked for, frozen. Not always the same one. */
  readonly object: KubeObject;
  /** Parses a large object in slices; afterwards `object` has it for a while. */
  parsing(): Resumable<void>;
  /** The object without `metadata.managedFields`, frozen: one shared object while it is referenced. */
  readonly lean: KubeObject;
  /** The metadata of `lean`: for those who need no more, with the rest not parsed where that can be helped. */
  readonly leanMetadata: KubeObject['metadata'];
  /** Its metadata, frozen: for those who need no more. Seldom needs parsing, and never keeps the rest parsed. */
  readonly metadata: KubeObject['metadata'];
  /** `metadata`, if it is known without parsing. */
  readonly metadataIfKnown: KubeObject['metadata'] | undefined;
}

export interface ListPage {
  readonly entries: readonly Entry[];
  /** The revision the page is consistent with. */
  readonly revision: number;
  /**
   * Where the next page starts (`namespace/name` of its first candidate, exclusive of what was returned), if there is
   * one.
   */
  readonly next?: string;
  /** How many entries remain after this page. */
  readonly remaining: number;
}

export type StoreEvent = {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The new entry; for DELETED the last state, with the revision of the deletion. */
  readonly entry: Entry;
  /** The state before, absent for ADDED. */
  readonly previous?: Entry | undefined;
};

/** The revision asked for is older than the history kept. */
export class CompactedError extends Error {
  override readonly name = 'CompactedError';
  /** From which revision on history is kept; undefined when the revision is not of this store. */
  readonly keptSince: number | undefined;

  constructor(message: string, keptSince?: number) {
    super(message);
    this.keptSince = keptSince;
  }
}

/**
 * The objects of a cluster, with their history.
 *
 * Writers are synchronous up to `put` or `remove`: they compute against `latest`
 * and hand in the entry they computed from; nothing can come between. The promise
 * resolves when the write is durable; only then is it visible to readers and watchers.
 *
 * `resource` is the definition's `storedAs` (`pods`, `deployments.apps`).
 */
export interface Store {
  /** The last durable revision. */
  readonly revision: number;
  /** What readers see. */
  get(resource: string, namespace: string, name: string): Entry | undefined;
  /** What a writer must compute against: the newest state, durable or on its way. */
  latest(resource: string, namespace: string, name: string): Entry | undefined;
  /** The newest state of every object of all resources, as `latest` gives it. */
  all(): Iterable<Entry>;
  /** Resolves once readers see what `latest` gives now, or its write has failed; undefined when they see it already. */
  visible(resource: string, namespace: string, name: string): Promise<void> | undefined;
  /** Resolves once every write that is on its way now is visible, or has failed. */
  settled(): Promise<void>;
  /**
   * Writes an object; the store sets metadata.resourceVersion. `basis` is what
   * `latest` gave (undefined = create).
   * @throws Error when `basis` is not the latest any more: a bug of the caller.
   */
  put(resource: string, object: KubeObject, basis: Entry | undefined): Promise<Entry>;
  /**
   * Removes an object; `finalState` is what watchers see in DELETED (default: the stored object).
   * @throws Error when `basis` is not the latest any more, as `put` does.
   */
  remove(basis: Entry, finalState?: KubeObject): Promise<Entry>;
  /**
   * Entries in key order. `atRevision` reads that snapshot; `after` is the key of the last
   * entry of the page before.
   * @throws CompactedError when that snapshot is gone, or not of this store.
   */
  list(
    resource: string,
    options: { namespace?: string | undefined; limit?: number; after?: string; atRevision?: number },
  ): ListPage;
  /**
   * Calls `onEvent` for every durable write to `resource` after `sinceRevision`, in order, starting
   * synchronously with those already known.
   * `onEvent` must not throw.
   * @throws CompactedError when history does not reach back that far, or the revision is not of this store.
   */
  watch(resource: string, sinceRevision: number, onEvent: (event: StoreEvent) => void): { close(): void };
  /** Calls `onWrite` after every commit with the newest durable revision: bookmarks and freshness waits. */
  onRevision(onWrite: (revision: number) => void): { close(): void };
  /** Waits for what is under way, then releases what is held. */
  close(): Promise<void>;
}
