import type { Target } from './match-resources.js';

/** Remembers what is found for each kind of request, so that the next of that kind costs one look into a map. */
export class TargetIndex<Found> {
  readonly #find: (target: Target) => Found;
  readonly #known = new Map<string, Found>();

  constructor(find: (target: Target) => Found) {
    this.#find = find;
  }

  get(target: Target): Found {
    const { group, version, plural } = target.resource;
    const key = `${group}/${version}/${plural}/${target.subresource}/${target.operation}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = this.#find(target);
    this.#known.set(key, found);
    return found;
  }

  /** To be called when something that `find` looks at has changed. */
  forget(): void {
    this.#known.clear();
  }
}
