/**
 * One copy of what many objects have alike. Values go by a text that says all of them, and must not change. Those
 * that nobody asked for while many others came are forgotten.
 */
export class SharedValues<T> {
  readonly #most: number;
  #recent = new Map<string, T>();
  #before = new Map<string, T>();

  /** The default is enough for the kinds, writers and workloads of a cluster; what is beyond is simply not shared. */
  constructor(most = 500) {
    this.#most = most;
  }

  /** The value of this text; made if it is not known. */
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
