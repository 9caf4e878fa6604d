import { StringDecoder } from 'node:string_decoder';
import type { LogLine } from '@slipway/kube-objects/node-connection/node-connection';

/** What is kept of one run, in characters. */
const maxKept = 256 * 1024;
/** Longer lines are broken, as container runtimes break them. */
const maxLine = 16 * 1024;

type Stream = 'stdout' | 'stderr';

/** What one run of a program has written: the last of it, when it was much. */
export class ProgramLog {
  readonly #lines: LogLine[] = [];
  readonly #open = { stdout: '', stderr: '' };
  readonly #decoders = { stdout: new StringDecoder(), stderr: new StringDecoder() };
  #kept = 0;
  /** Whether the last line has no end. */
  #isCutOff = false;
  #readUntilMs = Number.NEGATIVE_INFINITY;

  write(stream: Stream, bytes: Uint8Array, nowMs: number): void {
    const text = this.#open[stream] + this.#decoders[stream].write(Buffer.from(bytes));
    const parts = text.split('\n').flatMap((line) => line.match(new RegExp(`[^]{1,${maxLine}}`, 'g')) ?? ['']);
    this.#open[stream] = parts.pop() ?? '';
    for (const line of parts) this.#add(line, nowMs);
  }

  /** The program ended: what it did not end with a newline is a line too. */
  end(nowMs: number): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      if (this.#open[stream] === '') continue;
      this.#add(this.#open[stream], nowMs);
      this.#isCutOff = true;
      this.#open[stream] = '';
    }
  }

  /** The lines from `fromMs` on, in order. What is written after this is later than `nowMs`, for readers who come again. */
  linesFrom(fromMs: number, nowMs: number): readonly LogLine[] {
    this.#readUntilMs = nowMs;
    return this.#lines.filter(({ atMs }) => atMs >= fromMs);
  }

  /** The last lines as one text with the ends of lines, at most so many lines and characters. */
  tail(lines: number, characters: number): string {
    const last = this.#lines.slice(-lines).map((line) => `${line.text}\n`);
    const text = last.join('');
    return (this.#isCutOff ? text.slice(0, -1) : text).slice(-characters);
  }

  #add(text: string, nowMs: number): void {
    this.#lines.push({ atMs: Math.max(nowMs, this.#readUntilMs + 1), text });
    this.#kept += text.length + 1;
    while (this.#kept > maxKept) this.#kept -= (this.#lines.shift()?.text.length ?? 0) + 1;
  }
}
