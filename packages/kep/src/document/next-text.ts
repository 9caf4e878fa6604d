/**
 * Finds the next occurrence of a mark from growing offsets. It searches every
 * stretch of the text once, so asking at every line stays linear.
 */
export class NextText {
  readonly #text: string;
  readonly #mark: string;
  #found = -1;

  constructor(text: string, mark: string) {
    this.#text = text;
    this.#mark = mark;
  }

  /** The first occurrence at or after `from`, or -1. Asking further back than before is allowed, and costs a search. */
  from(from: number): number {
    if (this.#found === Number.POSITIVE_INFINITY && from >= this.#searchedFrom) return -1;
    if (this.#found >= from && this.#searchedFrom <= from) return this.#found;
    const found = this.#text.indexOf(this.#mark, from);
    this.#searchedFrom = from;
    this.#found = found < 0 ? Number.POSITIVE_INFINITY : found;
    return found;
  }

  #searchedFrom = 0;
}
