import type { ServerHttp2Stream } from 'node:http2';

/** Calls that pull, from their arrival to the end of their answer: those that wait, run, pass unread, or are only looked up. */
export class OpenPulls {
  #count = 0;
  #whenNone: (() => void)[] = [];

  add(stream: ServerHttp2Stream): void {
    this.#count += 1;
    stream.once('close', () => {
      this.#count -= 1;
      if (this.#count === 0) for (const resolve of this.#whenNone.splice(0)) resolve();
    });
  }

  get isNone(): boolean {
    return this.#count === 0;
  }

  /** Resolves when no such call is open. */
  async whenNone(): Promise<void> {
    if (!this.isNone) await new Promise<void>((resolve) => this.#whenNone.push(resolve));
  }
}
