import type { EntryPlace } from './entry.js';

/** One write as it is kept: an object put, or removed. */
export interface LogRecord extends EntryPlace {
  readonly kind: 'put' | 'remove';
  readonly revision: number;
  /** The encoded object. Empty for a removal whose final state is the object as it was stored. */
  readonly json: string;
}

/** What becomes durable together, or not at all. */
export interface Commit {
  readonly records: readonly LogRecord[];
  /** Revisions of records that neither the present nor the kept history needs any more. */
  readonly forget: readonly number[];
  /** Per resource, the newest revision whose event is no longer kept. */
  readonly compacted: ReadonlyMap<string, number>;
}

/** What was kept: every record not forgotten, in revision order. */
export interface Kept {
  readonly records: Iterable<LogRecord>;
  readonly compacted: ReadonlyMap<string, number>;
}

/**
 * Where writes become durable. The one part in which the ephemeral and the
 * durable store differ; tests hand in slow and failing ones.
 */
export interface DurableLog {
  load(): Kept;
  /**
   * Resolves when everything in `commit` survives a crash. Called again only after it settled.
   * @throws StorageFullError when there is no space; removals may still be accepted. Any other error is final.
   */
  commit(commit: Commit): Promise<void>;
  /** Runs `next` soon; how long it waits decides how many writers share a commit. */
  gather(next: () => void): void;
  close(): Promise<void>;
}

/** No space is left for what should be written. Reads and removals go on; writes do again when there is space. */
export class StorageFullError extends Error {
  override readonly name = 'StorageFullError';
  readonly reason = 'StorageFull';
  readonly hint = 'free disk space or delete objects; writes are accepted again by themselves';
}

/**
 * The disk failed while something was written, so nobody knows what is on it. Nothing is written any more: what
 * was acknowledged is read back by the next start, which looks at everything.
 */
export class StorageFailedError extends Error {
  override readonly name = 'StorageFailedError';
  readonly reason = 'StorageFailed';
  readonly hint = 'see to the disk, then start the cluster again; slipway dev data verify reads everything once';
  readonly exitCode = 1;
}

/** What is on disk cannot be read as a store of ours. Nothing was changed. */
export class StorageDamagedError extends Error {
  override readonly name = 'StorageDamagedError';
  readonly reason = 'DataDamaged';
  readonly hint = 'move the data directory away and start again, or restore it from a copy';
}
