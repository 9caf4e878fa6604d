import { posix } from 'node:path';
import { inputOf } from './input.js';
import { FileError } from './pod-disk.js';
import type { Process } from './process.js';
import type { Redirection, Word } from './shell-grammar.js';

/** A file that a command cannot have as its input or output. */
export class RedirectionError extends Error {
  override readonly name = 'RedirectionError';
}

/**
 * Points input and output of a process to where `redirections` say. What is returned writes the files, once the command is done.
 * @throws RedirectionError when a file cannot be read or written
 */
export async function redirect(
  process: Process,
  redirections: readonly Redirection[],
  textOf: (word: Word) => Promise<string>,
): Promise<() => void> {
  const writes: (() => void)[] = [];
  for (const each of redirections) {
    if (each.kind === 'same') {
      const { out, err } = process;
      if (each.stream === 2) process.err = out;
      else process.out = (bytes) => err(Buffer.from(bytes as string).toString());
      continue;
    }
    const named = await textOf(each.path);
    const path = posix.resolve(process.folder, named);
    if (each.stream === 0) {
      process.input = inputOf(await contentOf(process, path, named));
      continue;
    }
    const sink = sinkTo(process, path, named, each.appends ? await process.files.read(path) : undefined);
    writes.push(sink.write);
    if (each.stream === 1) process.out = sink.take;
    else process.err = sink.take;
  }
  return () => {
    for (const write of writes) write();
  };
}

async function contentOf({ files }: Process, path: string, named: string): Promise<Buffer> {
  if (path === '/dev/null') return Buffer.alloc(0);
  const content = await files.read(path);
  if (!content) throw new RedirectionError(`can't open ${named}: no such file`);
  return content;
}

function sinkTo({ files }: Process, path: string, named: string, before: Buffer | undefined) {
  if (path === '/dev/null') return { take: () => {}, write: () => {} };
  const written: Buffer[] = before ? [before] : [];
  const write = () => {
    try {
      files.write(path, Buffer.concat(written));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      const why = error.message === 'No such file or directory' ? 'nonexistent directory' : error.message;
      throw new RedirectionError(`can't create ${named}: ${why}`);
    }
  };
  write();
  return { take: (bytes: string | Uint8Array) => void written.push(Buffer.from(bytes as string)), write };
}
