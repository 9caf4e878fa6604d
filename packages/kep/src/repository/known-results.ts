import type { FoundKep } from './find-keps.js';
import type { KepRepository } from './repository.js';
import { type Look, type LookKey, stampOfLook } from './watched-disk.js';

/**
 * Results of work on the proposals of a checkout that is read again and again, each known until a file or folder that the work
 * looked at has changed. Other than a `ResultCache` it lives in memory, and its results are of any type.
 */
export class KnownResults<T> {
  readonly #known = new Map<string, { readonly result: T; readonly looks: ReadonlyMap<LookKey, Look> }>();

  /**
   * Does the work on each proposal of a repository that was just opened, where its result is not known. A caller may do other
   * things between two results.
   * @param nowMs milliseconds since 1970, by the clock that dates the files
   */
  *all(
    repository: KepRepository,
    work: (found: FoundKep) => T,
    nowMs: number,
  ): Generator<{ readonly result: T; readonly isNew: boolean }> {
    const present = new Set<string>();
    const stamps = new Map<string, string | undefined>();
    const holds = ([key, look]: readonly [LookKey, Look]) => {
      const listed = repository.listedLook(key);
      if (listed) return listed.state === look.state;
      const stamp = stampOfLook(key, nowMs, stamps);
      return stamp !== undefined && stamp === look.stamp;
    };
    for (const found of repository.keps()) {
      present.add(found.directory);
      const known = this.#known.get(found.directory);
      const isNew = !known || ![...known.looks].every(holds);
      const { result, looks } = isNew ? repository.disk.watch(() => work(found), nowMs) : known;
      if (isNew) this.#known.set(found.directory, { result, looks });
      yield { result, isNew };
    }
    for (const directory of this.#known.keys()) if (!present.has(directory)) this.#known.delete(directory);
  }
}
