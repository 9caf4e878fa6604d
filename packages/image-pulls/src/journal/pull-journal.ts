import { closeSync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import { appendFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../cri/error-message.js';
import type { PullClock } from '../limiter/clock.js';
import type { JournalEntry } from './journal-entry.js';
import { journalFile, keptFiles } from './read-journal.js';

export interface PullJournalOptions {
  readonly dir: string;
  /** Of all files together. */
  readonly sizeBytes: number;
  readonly clock: PullClock;
  /** Called when it cannot be written any more, for example because the disk is full. It is tried again later. */
  readonly onProblem: (message: string) => void;
}

const retryMs = 60_000;
const maxQueued = 10_000;

/**
 * Keeps a line for each pull, for `what-if`. Written off the way of pulls, which never wait for it and never fail
 * by it: what cannot be written is lost. A crash loses at most the last line, of which a rest is passed over by
 * readers. Four files take turns, so old lines go first.
 */
export class PullJournal {
  readonly #options: PullJournalOptions;
  readonly #path: string;
  #bytes: number;
  #queued: string[] = [];
  #writing: Promise<void> | undefined;
  #offUntilMs = -Infinity;

  /** @throws an error of the file system when the folder cannot be made or the file not be opened. */
  constructor(options: PullJournalOptions) {
    this.#options = options;
    this.#path = join(options.dir, journalFile(0));
    mkdirSync(options.dir, { recursive: true, mode: 0o700 });
    const { bytes, isCut } = endOf(this.#path);
    this.#bytes = bytes;
    if (isCut) this.#queued.push('\n');
  }

  append(entry: JournalEntry): void {
    if (this.#queued.length >= maxQueued || this.#options.clock.monotonicMs() < this.#offUntilMs) return;
    this.#queued.push(`${JSON.stringify(entry)}\n`);
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    try {
      while (this.#queued.length > 0) {
        const lines = this.#queued.splice(0).join('');
        if (this.#bytes > this.#options.sizeBytes / keptFiles) await this.#turn();
        await appendFile(this.#path, lines, { mode: 0o600 });
        this.#bytes += Buffer.byteLength(lines);
      }
    } catch (error) {
      this.#queued = ['\n'];
      this.#offUntilMs = this.#options.clock.monotonicMs() + retryMs;
      this.#options.onProblem(errorMessage(error));
    }
  }

  async #turn(): Promise<void> {
    for (let age = keptFiles - 1; age > 0; age -= 1) {
      const [from, to] = [age - 1, age].map((one) => join(this.#options.dir, journalFile(one))) as [string, string];
      await rename(from, to).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
    }
    this.#bytes = 0;
  }
}

/** How long a file is, and whether its last line was cut off by a crash. */
function endOf(path: string): { readonly bytes: number; readonly isCut: boolean } {
  const file = openSync(path, 'a+', 0o600);
  try {
    const bytes = fstatSync(file).size;
    const last = Buffer.alloc(1);
    if (bytes > 0) readSync(file, last, 0, 1, bytes - 1);
    return { bytes, isCut: bytes > 0 && last[0] !== 0x0a };
  } finally {
    closeSync(file);
  }
}
