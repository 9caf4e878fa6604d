import type { KubeObject } from '@slipway/kube';

/**
 * Our own last writes, for as long as the cache shows an older state.
 *
 * Revisions are opaque, so an entry knows which ones it replaced. Once the cache shows
 * any other, it has caught up, or another client wrote after us.
 */
export class OwnWrites<T extends KubeObject> {
  readonly #written = new Map<string, { readonly object: T; readonly older: Set<string> }>();

  /** Stores the result of a write of `before`. */
  note(before: T, after: T): T {
    const name = after.metadata.name ?? '';
    const older = this.#written.get(name)?.older ?? new Set();
    older.add(before.metadata.resourceVersion ?? '');
    older.delete(after.metadata.resourceVersion ?? '');
    this.#written.set(name, { object: after, older });
    return after;
  }

  /** Returns the newer of the cached object and our last write. */
  newest(cached: T): T {
    const name = cached.metadata.name ?? '';
    const own = this.#written.get(name);
    if (!own) return cached;
    const isOlder =
      cached.metadata.uid === own.object.metadata.uid && own.older.has(cached.metadata.resourceVersion ?? '');
    if (isOlder) return own.object;
    this.#written.delete(name);
    return cached;
  }
}
