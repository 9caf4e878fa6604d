import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';

/** What is kept for the client that attaches first, in bytes. */
const maxUnseen = 64 * 1024;

export interface ProgramConsoleOptions {
  /** Aborts when the program is killed. */
  readonly killed: AbortSignal;
  /** Called with all that the program writes. */
  readonly write: (stream: 'stdout' | 'stderr', bytes: Uint8Array) => void;
  /** Whether the program reads, and until when: while it runs, or until the first client is gone. */
  readonly input: 'none' | 'while-running' | 'of-first-client';
}

/**
 * The terminal of the program of a container: clients attach to it and leave while it runs. The first client sees what
 * was written before it came; a later one sees the line that was begun, as a shell draws its prompt for a new screen.
 */
export class ProgramConsole implements Terminal {
  readonly gone: AbortSignal;
  readonly #options: ProgramConsoleOptions;
  readonly #clients = new Set<Terminal>();
  readonly #ended = new AbortController();
  #typed: Buffer[] = [];
  #isClosed: boolean;
  #hear: { readonly onBytes: (bytes: Buffer) => void; readonly onEnd: () => void } | undefined;
  #unseen: Buffer = Buffer.alloc(0);
  #hadClient = false;

  constructor(options: ProgramConsoleOptions) {
    this.#options = options;
    this.gone = options.killed;
    this.#isClosed = options.input === 'none';
  }

  /** Of the client that attached last. */
  get size(): Terminal['size'] {
    return [...this.#clients].at(-1)?.size;
  }

  listen(onBytes: (bytes: Buffer) => void, onEnd: () => void): void {
    this.#hear = { onBytes, onEnd };
    for (const bytes of this.#typed.splice(0)) onBytes(bytes);
    if (this.#isClosed) onEnd();
  }

  stdout(bytes: Uint8Array): void {
    this.#write('stdout', bytes);
  }

  stderr(bytes: Uint8Array): void {
    this.#write('stderr', bytes);
  }

  /** The program has ended: clients that are attached are let go. */
  finish(): void {
    this.#ended.abort();
  }

  /**
   * Attaches a client. Resolves when it is gone, or the program has ended; as with containerd, also when it has typed
   * all that it will and the program goes on to read.
   */
  async attach(client: Terminal): Promise<void> {
    if (this.#unseen.length > 0) client.stdout(this.#unseen);
    if (!this.#hadClient) this.#unseen = afterLastLine(this.#unseen);
    this.#hadClient = true;
    this.#clients.add(client);
    const isOnlyReader = this.#options.input === 'of-first-client';
    const done = new AbortController();
    client.listen(
      (bytes) => this.#type(bytes),
      () => (isOnlyReader ? this.#close() : done.abort()),
    );
    const over = AbortSignal.any([client.gone, done.signal, this.#ended.signal, this.gone]);
    if (!over.aborted) await new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
    this.#clients.delete(client);
    if (isOnlyReader && client.gone.aborted) this.#close();
  }

  #type(bytes: Buffer): void {
    if (this.#isClosed) return;
    if (this.#hear) this.#hear.onBytes(bytes);
    else this.#typed.push(bytes);
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#hear?.onEnd();
  }

  #write(stream: 'stdout' | 'stderr', bytes: Uint8Array): void {
    this.#options.write(stream, bytes);
    const unseen = Buffer.concat([this.#unseen, bytes]).subarray(-maxUnseen);
    this.#unseen = this.#hadClient ? afterLastLine(unseen) : unseen;
    for (const client of this.#clients) client[stream](bytes);
  }
}

function afterLastLine(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.lastIndexOf('\n') + 1);
}
