import { posix } from 'node:path';
import { compilePattern } from '@slipway/api-machinery/schema/pattern';
import { sleep } from '@slipway/kube';
import type { Process, Program } from './process.js';

/** Programs that give a part of what they are given. */
export const textCommands: Readonly<Record<string, Program>> = {
  head: (process, args) => part(process, 'head', args, (all, { unit, count }) => upTo(all, unit, count)),
  async tail(process, args) {
    if (args[0] === '-f') return follow(process, args.slice(1));
    return part(process, 'tail', args, (all, { unit, count, isFrom }) => {
      const total = unit === 'c' ? all.length : linesOf(all).length;
      const before = isFrom ? Math.max(0, count - 1) : Math.max(0, total - count);
      return all.subarray(upTo(all, unit, before).length);
    });
  },
  async wc(process, args) {
    const { flags, contents, code } = await readAll(process, 'wc', args);
    for (const { path, content } of contents) {
      const words = content.toString().split(/\s+/).filter(Boolean).length;
      const counts = { l: content.filter((byte) => byte === 10).length, w: words, c: content.length };
      const wanted = (['l', 'w', 'c'] as const).filter((each) => flags === '' || flags.includes(each));
      process.out(`${[...wanted.map((each) => counts[each]), ...(path ? [path] : [])].join(' ')}\n`);
    }
    return code;
  },
  async sort(process, args) {
    const { flags, contents, code } = await readAll(process, 'sort', args);
    const lines = contents.flatMap(({ content }) => textLines(content));
    if (flags.includes('n')) lines.sort((a, b) => Number.parseFloat(a) - Number.parseFloat(b));
    else lines.sort();
    if (flags.includes('r')) lines.reverse();
    const shown = flags.includes('u') ? [...new Set(lines)] : lines;
    process.out(shown.map((line) => `${line}\n`).join(''));
    return code;
  },
  async grep(process, args) {
    const flags = flagsOf(args);
    const [pattern = '', ...paths] = args.filter((arg) => !/^-[a-zA-Z]+$/.test(arg));
    const { contents, code } = await readAll(process, 'grep', paths);
    const source = flags.includes('F') ? pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : pattern;
    const expression = compilePattern(flags.includes('i') ? `(?i)${source}` : source);
    if (typeof expression === 'string') {
      process.err(`grep: ${expression}\n`);
      return 2;
    }
    const found = contents.flatMap(({ content }) =>
      textLines(content).filter((line) => expression.matcher(line).find() !== flags.includes('v')),
    );
    if (flags.includes('c')) process.out(`${found.length}\n`);
    else if (!flags.includes('q')) process.out(found.map((line) => `${line}\n`).join(''));
    if (code !== 0) return 2;
    return found.length > 0 ? 0 : 1;
  },
  /** As far as it prints fields of lines: `awk '{print $1, $NF}'`. */
  async awk(process, [script = '', ...paths]) {
    const [, printed] = /^\s*\{\s*print((?:\s*,?\s*\$(?:\d+|NF))*)\s*\}\s*$/.exec(script) ?? [];
    if (printed === undefined) {
      if (process.unknown) return process.unknown();
      process.err('awk: a simulated container knows {print $1, $2} only\n');
      return 2;
    }
    const fields = [...printed.matchAll(/\$(\d+|NF)/g)].map(([, field]) => field);
    const { contents, code } = await readAll(process, 'awk', paths);
    for (const line of contents.flatMap(({ content }) => textLines(content))) {
      const words = line.trim().split(/\s+/);
      const textOf = (field: string | undefined) =>
        field === 'NF' ? words.at(-1) : field === '0' ? line : words[Number(field) - 1];
      process.out(`${fields.length === 0 ? line : fields.map((field) => textOf(field) ?? '').join(' ')}\n`);
    }
    return code;
  },
  /** As `hexdump -C` has it, which is the only form that is simulated. */
  async hexdump(process, args) {
    if (flagsOf(args) !== 'C') {
      process.err('hexdump: a simulated container knows -C only\n');
      return 1;
    }
    const { contents, code } = await readAll(process, 'hexdump', args);
    process.out(dumped(Buffer.concat(contents.map(({ content }) => content))));
    return code;
  },
  async tee({ files, folder, input, out }, args) {
    const parts: Buffer[] = [];
    for (let bytes = await input?.next(); bytes; bytes = await input?.next()) {
      parts.push(bytes);
      out(bytes);
    }
    for (const path of args.filter((arg) => !arg.startsWith('-'))) {
      const full = posix.resolve(folder, path);
      const before = flagsOf(args).includes('a') ? await files.read(full) : undefined;
      files.write(full, Buffer.concat([...(before ? [before] : []), ...parts]));
    }
    return 0;
  },
};

/** Sixteen bytes on each line, in hexadecimal and as text. */
function dumped(content: Buffer): string {
  const offset = (at: number) => at.toString(16).padStart(8, '0');
  let lines = '';
  for (let at = 0; at < content.length; at += 16) {
    const row = content.subarray(at, at + 16);
    const hex = Array.from({ length: 16 }, (_, index) => row.toString('hex', index, index + 1) || '  ');
    const text = row.toString('latin1').replace(/[^\x20-\x7e]/g, '.');
    lines += `${offset(at)}  ${hex.slice(0, 8).join(' ')}  ${hex.slice(8).join(' ')}  |${text}|\n`;
  }
  return content.length === 0 ? '' : `${lines}${offset(content.length)}\n`;
}

/** Waits for more of a file that nothing else writes to: for as long as its client, or its container, is there. */
async function follow({ clock, gone, files, folder, out }: Process, [path = '']: readonly string[]): Promise<number> {
  const full = posix.resolve(folder, path);
  let written = 0;
  while (!gone.aborted) {
    const content = (await files.read(full)) ?? Buffer.alloc(0);
    if (content.length > written) out(content.subarray(written));
    written = content.length;
    await sleep(clock, followMs, gone).catch(() => {});
  }
  return 0;
}

const followMs = 1_000;

function flagsOf(args: readonly string[]): string {
  return args
    .filter((arg) => /^-[a-zA-Z]+$/.test(arg))
    .join('')
    .replaceAll('-', '');
}

/** The files that a program was given, or its input; those that cannot be read are told of. */
async function readAll(process: Process, program: string, args: readonly string[]) {
  const paths = args.filter((arg) => !/^-[a-zA-Z]+$/.test(arg));
  const contents: { readonly path: string | undefined; readonly content: Buffer }[] = [];
  let code = 0;
  for (const path of paths) {
    const content = await process.files.read(posix.resolve(process.folder, path));
    if (content) contents.push({ path, content });
    else {
      process.err(`${program}: ${path}: No such file or directory\n`);
      code = 1;
    }
  }
  if (paths.length === 0) contents.push({ path: undefined, content: (await process.input?.rest()) ?? Buffer.alloc(0) });
  return { flags: flagsOf(args), contents, code };
}

function textLines(content: Buffer): string[] {
  const lines = content.toString().split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

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
