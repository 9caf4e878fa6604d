/**
 * Keeps one copy of equal values. A value is found by a string that describes it completely, and must not change.
 * Values that were not used while many others were added are forgotten.
 */
export class InternPool<T> {
  readonly #most: number;
  #recent = new Map<string, T>();
  #before = new Map<string, T>();

  /** The default is enough for the kinds, writers and workloads of a cluster; values beyond it are not shared. */
  constructor(most = 500) {
    this.#most = most;
  }

  /** Returns the value of this string, making it if it is not known. */
  get(text: string, make: () => T): T {
    const known = this.#recent.get(text);
    if (known !== undefined) return known;
    const value = this.#before.get(text) ?? make();
    this.#recent.set(text, value);
    if (this.#recent.size >= this.#most) {
      this.#before = this.#recent;
      this.#recent = new Map();
    }
    return value;
  }
}
