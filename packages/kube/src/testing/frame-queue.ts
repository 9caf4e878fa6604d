import type { WatchFrame } from '../transport/transport.js';

/** Frames put in at one end and read, once, at the other. What was put in before the end is read before it. */
export class FrameQueue implements AsyncIterable<WatchFrame> {
  readonly #frames: WatchFrame[] = [];
  #ended: { readonly error: Error | undefined } | undefined;
  #wake = () => {};

  push(frame: WatchFrame): void {
    if (this.#ended) return;
    this.#frames.push(frame);
    this.#wake();
  }

  /** Ends the reading, with an error if one is given. Later calls do nothing. */
  end(error?: Error): void {
    this.#ended ??= { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<WatchFrame> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame) {
        yield frame;
      } else if (this.#ended) {
        if (this.#ended.error) throw this.#ended.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
