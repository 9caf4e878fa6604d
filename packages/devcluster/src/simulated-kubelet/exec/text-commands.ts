import { posix } from 'node:path';
import type { Process, Program } from './process.js';

/** Programs that give a part of what they are given. */
export const textCommands: Readonly<Record<string, Program>> = {
  head: (process, args) => part(process, 'head', args, (all, { unit, count }) => upTo(all, unit, count)),
  tail: (process, args) =>
    part(process, 'tail', args, (all, { unit, count, isFrom }) => {
      const total = unit === 'c' ? all.length : linesOf(all).length;
      const before = isFrom ? Math.max(0, count - 1) : Math.max(0, total - count);
      return all.subarray(upTo(all, unit, before).length);
    }),
};

interface Wanted {
  readonly unit: 'c' | 'n';
  readonly count: number;
  /** The count is where to begin, from 1 on. */
  readonly isFrom: boolean;
}

async function part(
  process: Process,
  program: string,
  args: readonly string[],
  choose: (all: Buffer, wanted: Wanted) => Buffer,
): Promise<number> {
  const { wanted, path } = understood(args);
  const content = path ? await process.files.read(posix.resolve(process.folder, path)) : await process.input?.rest();
  if (path && !content) {
    process.err(`${program}: ${path}: No such file or directory\n`);
    return 1;
  }
  process.out(choose(Buffer.from(content ?? ''), wanted));
  return 0;
}

/** Reads `-c 5`, `-c+5`, `-n 5` or `-5`, and a file. Without a number it is ten lines. */
function understood(args: readonly string[]): { readonly wanted: Wanted; readonly path: string | undefined } {
  const [first = '', second = ''] = args;
  const isApart = first === '-c' || first === '-n';
  const [, unit, sign, count] = /^-([cn])?([+-]?)(\d+)$/.exec(isApart ? first + second : first) ?? [];
  if (count === undefined) return { wanted: { unit: 'n', count: 10, isFrom: false }, path: args[0] };
  const wanted: Wanted = { unit: unit === 'c' ? 'c' : 'n', count: Number(count), isFrom: sign === '+' };
  return { wanted, path: args[isApart ? 2 : 1] };
}

function upTo(all: Buffer, unit: 'c' | 'n', count: number): Buffer {
  if (unit === 'c') return all.subarray(0, count);
  return all.subarray(
    0,
    linesOf(all)
      .slice(0, count)
      .reduce((sum, line) => sum + line.length, 0),
  );
}

function linesOf(all: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  for (let at = 0; at < all.length; ) {
    const end = all.indexOf('\n', at);
    const next = end < 0 ? all.length : end + 1;
    lines.push(all.subarray(at, next));
    at = next;
  }
  return lines;
}
