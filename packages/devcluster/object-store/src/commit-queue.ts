/** A commit takes at most this many writes, so that one transaction stays within reason. */
const batchLength = 4096;

/**
 * Group commit: what is added while a batch is under way goes with the next one,
 * so the cost of reaching the disk is shared by all who write at the same time.
 */
export class CommitQueue<W> {
  readonly #gather: (next: () => void) => void;
  readonly #commit: (batch: readonly W[]) => Promise<void>;
  #waiting: W[] = [];
  #running = false;
  #idle: (() => void)[] = [];

  /** `commit` settles every write of its batch itself and never rejects. `gather` decides how long to wait for more. */
  constructor(options: { gather: (next: () => void) => void; commit: (batch: readonly W[]) => Promise<void> }) {
    this.#gather = options.gather;
    this.#commit = options.commit;
  }

  add(write: W): void {
    this.#waiting.push(write);
    if (this.#running) return;
    this.#running = true;
    this.#gather(() => void this.#next());
  }

  /** Takes back the writes that still wait and match, asked oldest first. They are not committed. */
  withdraw(matches: (write: W) => boolean): readonly W[] {
    const withdrawn: W[] = [];
    const waiting: W[] = [];
    for (const write of this.#waiting) (matches(write) ? withdrawn : waiting).push(write);
    this.#waiting = waiting;
    return withdrawn;
  }

  /** Resolves when nothing waits and nothing is under way. */
  idle(): Promise<void> {
    return this.#running ? new Promise((resolve) => this.#idle.push(resolve)) : Promise.resolve();
  }

  async #next(): Promise<void> {
    const batch = this.#waiting.splice(0, batchLength);
    if (batch.length > 0) await this.#commit(batch);
    if (this.#waiting.length > 0) {
      this.#gather(() => void this.#next());
      return;
    }
    this.#running = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
