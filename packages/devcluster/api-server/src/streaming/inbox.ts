/** Buffers messages until a listener is attached. */
export class Inbox {
  #early: Buffer[] = [];
  #isEnded = false;
  #listener: { readonly onBytes: (bytes: Buffer) => void; readonly onEnd: () => void } | undefined;

  push(bytes: Buffer): void {
    if (this.#listener) this.#listener.onBytes(bytes);
    else this.#early.push(bytes);
  }

  /** Nothing more comes. Further calls do nothing. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#listener?.onEnd();
  }

  /** One listener, who is told of what comes, and, once, that nothing more will. */
  listen(onBytes: (bytes: Buffer) => void, onEnd: () => void): void {
    this.#listener = { onBytes, onEnd };
    for (const bytes of this.#early) onBytes(bytes);
    this.#early = [];
    if (this.#isEnded) onEnd();
  }
}
