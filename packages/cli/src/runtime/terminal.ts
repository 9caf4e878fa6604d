import { printable } from '@slipway/safe-yaml/printable';
import { asCalled, calledAs } from '../output/called-as.js';
import { withColours } from '../output/colour.js';
import { Content } from '../output/content.js';
import { defaultColumns, screenOf } from '../output/screen.js';

/** Where a command writes, and what it may assume of the reader. */
export interface Terminal {
  /**
   * The answer: stdout. A terminal gets it as `printable` makes it, a file or pipe byte by byte. Commands in a string are
   * written as the user types them.
   */
  out(answer: string | Content): void;
  /** Errors and warnings: stderr, always as `printable` makes them. */
  err(text: string): void;
  /** Writes to stdout or stderr what moves the cursor. Strings from outside go through `printableLine` before. */
  draw(to: 'stdout' | 'stderr', text: string): void;
  /** Whether a person watches stdout, and lines can be drawn again. */
  readonly interactive: boolean;
  /** Whether a person watches stderr: progress. */
  readonly progress: boolean;
  /** Whether a person can be asked a question. */
  readonly canAsk: boolean;
  /** Columns of the terminal that stdout is; 80 when it is none. */
  readonly columns: number;
  /** Asks for a line; only when `canAsk`. */
  ask(question: string): Promise<string>;
}

/** The streams of a process. */
export type Host = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr' | 'env'>;

/** The terminal of this process. Nothing is redrawn without a terminal, or where TERM=dumb says that it cannot be. */
export function processTerminal(host: Host = process, name: string = calledAs): Terminal {
  const isDumb = host.env.TERM === 'dumb';
  // Node makes each stream when it is first asked for, and most commands use one.
  const stdout = () => endingWithReader(host.stdout);
  const stderr = () => endingWithReader(host.stderr);
  return {
    out: (answer) => {
      const text = answer instanceof Content ? answer.text : asCalled(answer, name);
      stdout().write(host.stdout.isTTY ? withColours(printable(text)) : text);
    },
    err: (text) => void stderr().write(printable(asCalled(text, name))),
    draw: (to, text) => {
      if (!isDumb) (to === 'stdout' ? stdout() : stderr()).write(text);
    },
    get interactive() {
      return host.stdout.isTTY === true && !isDumb;
    },
    get progress() {
      return host.stderr.isTTY === true;
    },
    get canAsk() {
      return host.stdin.isTTY === true && host.stderr.isTTY === true;
    },
    get columns() {
      return screenOf(host).columns ?? defaultColumns;
    },
    async ask(question) {
      const { createInterface } = await import('node:readline/promises');
      const lines = createInterface({ input: host.stdin, output: stderr() });
      try {
        return await lines.question(printable(asCalled(question, name)));
      } finally {
        lines.close();
      }
    },
  };
}

/** 128 and the number of SIGPIPE: as shells report a program that ended because its reader closed the pipe, as `| head` does. */
const brokenPipe = 141;

function endingWithReader(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  if (!stream.listeners('error').includes(endWithoutReader)) stream.on('error', endWithoutReader);
  return stream;
}

function endWithoutReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(brokenPipe);
}
