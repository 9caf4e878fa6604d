/**
 * Finds the next occurrence of a mark from growing offsets. It searches every
 * stretch of the text once, so asking at every line stays linear.
 */
export class NextText {
  readonly #text: string;
  readonly #mark: string;
  #searchedFrom = 0;
  /** The end of the text where the mark does not come again: all are small integers, which have one layout in memory. */
  #found = -1;

  constructor(text: string, mark: string) {
    this.#text = text;
    this.#mark = mark;
  }

  /** The first occurrence at or after `from`, or -1. Asking further back than before is allowed, and costs a search. */
  from(from: number): number {
    const { length } = this.#text;
    if (this.#searchedFrom > from || (this.#found < from && this.#found < length)) {
      const found = this.#text.indexOf(this.#mark, from);
      this.#searchedFrom = from;
      this.#found = found < 0 ? length : found;
    }
    return this.#found < length ? this.#found : -1;
  }
}
