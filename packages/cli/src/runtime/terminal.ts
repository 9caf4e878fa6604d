import { printable } from '../output/printable.js';
import { asCalled } from './called-as.js';

/** Where a command writes, and what it may assume of the reader. */
export interface Terminal {
  /** The answer: stdout. A terminal gets it as `printable` makes it, a file or pipe byte by byte. */
  out(text: string): void;
  /** Errors and warnings: stderr, always as `printable` makes them. */
  err(text: string): void;
  /** Writes to stdout or stderr what moves the cursor. Strings from outside go through `printableLine` before. */
  draw(to: 'stdout' | 'stderr', text: string): void;
  /** Whether a person watches stdout: colours, redrawn lines. */
  readonly interactive: boolean;
  /** Whether a person watches stderr: progress. */
  readonly progress: boolean;
  /** Whether a person can be asked a question. */
  readonly canAsk: boolean;
  /** Columns of the terminal; 80 when there is none. */
  readonly columns: number;
  /** Asks for a line; only when `canAsk`. */
  ask(question: string): Promise<string>;
}

/** The terminal of this process. Colours and redrawing stay off when NO_COLOR is set or nobody watches. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process;
  const plain = env.NO_COLOR !== undefined && env.NO_COLOR !== '';
  for (const stream of [stdout, stderr])
    if (!stream.listeners('error').includes(endWithoutReader)) stream.on('error', endWithoutReader);
  return {
    out: (text) => void stdout.write(stdout.isTTY ? printable(text) : text),
    err: (text) => void stderr.write(printable(asCalled(text))),
    draw: (to, text) => void (to === 'stdout' ? stdout : stderr).write(text),
    interactive: stdout.isTTY === true && !plain,
    progress: stderr.isTTY === true,
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    columns: stdout.columns ?? 80,
    async ask(question) {
      const { createInterface } = await import('node:readline/promises');
      const lines = createInterface({ input: stdin, output: stderr });
      try {
        return await lines.question(question);
      } finally {
        lines.close();
      }
    },
  };
}

/** 128 and the number of SIGPIPE: as shells tell of a program that was ended because nobody reads on, which `| head` does. */
const brokenPipe = 141;

function endWithoutReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  process.exit(brokenPipe);
}
