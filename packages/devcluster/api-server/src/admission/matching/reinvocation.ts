/**
 * Which of several changers of an object must run once more, because another changed
 * it after them. Mutating admission goes over a write at most twice.
 */
export class Reinvocation {
  /** The second time. */
  isAgain = false;
  /** Something changed the object, so there is a second time. */
  isWanted = false;
  readonly #before = new Set<string>();
  readonly #due = new Set<string>();

  /** A plugin ran that must run again if the object changes later. */
  ran(who: string): void {
    this.#before.add(who);
  }

  /** The object changed: all who ran before are to run again. */
  changed(): void {
    this.isWanted = true;
    for (const who of this.#before) this.#due.add(who);
    this.#before.clear();
  }

  /** Whether a plugin must run again. */
  isDue(who: string): boolean {
    return !this.isAgain || this.#due.has(who);
  }
}
