import { isAscii, isUtf8, transcode } from 'node:buffer';
import { closeSync, lstatSync, openSync, readFileSync, readSync, type Stats } from 'node:fs';
import type { SourceFacts } from '../facts/rule.js';

/** A file that could not be read at all: no right to, a disk that fails. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
  /** As the system names it: EACCES, EIO. */
  readonly reason: string;

  constructor(path: string, cause: unknown) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    super(`${path} cannot be read: ${reason}`, { cause });
    this.reason = reason;
  }
}

/** A file as text, and how its bytes were. `text` is undefined when it is too large. */
export interface Source extends SourceFacts {
  readonly text: string | undefined;
}

const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

/** What the system says of a path that leads through a file, a circle of links, or a name that no folder can hold. */
const leadsNowhere = new Set(['ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'ERR_INVALID_ARG_VALUE']);

/**
 * Reads a regular file as UTF-8; bytes that are not UTF-8 become U+FFFD. Undefined when there is no such
 * file, or when it is a link, a pipe or anything else that is not a file. `onBytes` is as for `readLooked`. @throws UnreadableError
 */
export function readSource(
  path: string,
  limitBytes: number,
  onBytes?: (bytes: Uint8Array) => void,
): Source | undefined {
  return readLooked(path, limitBytes, () => lstatSync(path, { throwIfNoEntry: false }), onBytes);
}

/**
 * As `readSource`, with the way to what the system says of the path, for a caller that wants to know that too. `onBytes` gets the bytes of a file
 * that is not too large.
 */
export function readLooked(
  path: string,
  limitBytes: number,
  look: () => Stats | undefined,
  onBytes?: (bytes: Uint8Array) => void,
): Source | undefined {
  return unlessNowhere(path, () => sourceAt(path, limitBytes, look(), onBytes));
}

/** The bytes of a regular file; undefined as for `readSource`, and when there are too many. @throws UnreadableError */
export function readBytes(path: string, limitBytes: number): Uint8Array | undefined {
  return unlessNowhere(path, () => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat?.isFile() && stat.size <= limitBytes ? readFileSync(path) : undefined;
  });
}

function unlessNowhere<T>(path: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const unreadable = new UnreadableError(path, error);
    if (leadsNowhere.has(unreadable.reason)) return undefined;
    throw unreadable;
  }
}

/** The text of a file that a proposal only points to; undefined when it cannot be read either. */
export function readPassingly(path: string, limitBytes: number): string | undefined {
  try {
    return readSource(path, limitBytes)?.text;
  } catch (error) {
    if (error instanceof UnreadableError) return undefined;
    throw error;
  }
}

function sourceAt(
  path: string,
  limitBytes: number,
  stat: Stats | undefined,
  onBytes?: (bytes: Uint8Array) => void,
): Source | undefined {
  if (!stat?.isFile()) return undefined;
  if (stat.size > limitBytes) return tooLarge(stat.size, limitBytes);
  const bytes = bytesAt(path);
  if (bytes.byteLength <= limitBytes) onBytes?.(bytes);
  return limited(bytes, limitBytes);
}

const room = Buffer.allocUnsafeSlow(256 * 1024);

/** The bytes of a file. They are valid until the next call: most files are read into the same room. */
function bytesAt(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const count = readSync(file, room, 0, room.length, 0);
    return count < room.length ? room.subarray(0, count) : readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** Bytes as a source, whose text is undefined when they are too many. */
export function limited(buffer: Uint8Array, limitBytes: number): Source {
  return buffer.byteLength > limitBytes ? tooLarge(buffer.byteLength, limitBytes) : decode(buffer, limitBytes);
}

/** A text as the source that its bytes are. */
export function sourceOfText(text: string, limitBytes: number): Source {
  // Half of a pair is not UTF-8, and another character once it is read.
  if (/[\ud800-\udfff]/.test(text)) return limited(new TextEncoder().encode(text), limitBytes);
  const bytes = Buffer.byteLength(text);
  if (bytes > limitBytes) return tooLarge(bytes, limitBytes);
  return { text, bytes, limitBytes, invalidAt: undefined, encoding: 'utf-8' };
}

function tooLarge(bytes: number, limitBytes: number): Source {
  return { text: undefined, bytes, limitBytes, invalidAt: undefined, encoding: 'utf-8' };
}

/** Turns bytes into text, and says where they were no UTF-8. */
export function decode(buffer: Uint8Array, limitBytes: number): Source {
  const bytes = buffer.byteLength;
  const [first, second] = buffer;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    const text = new TextDecoder(first === 0xff ? 'utf-16le' : 'utf-16be').decode(buffer);
    return { text, bytes, limitBytes, invalidAt: undefined, encoding: 'utf-16' };
  }
  const isValid = isUtf8(buffer);
  const text = isValid ? validText(asBuffer(buffer)) : lenient.decode(buffer);
  const invalidAt = isValid ? undefined : Math.max(0, text.indexOf('\ufffd'));
  return { text, bytes, limitBytes, invalidAt, encoding: 'utf-8' };
}

/** Takes half the time of decoding UTF-8 at once, which goes letter by letter. */
function validText(buffer: Buffer): string {
  return isAscii(buffer) ? buffer.toString('latin1') : transcode(buffer, 'utf8', 'utf16le').toString('utf16le');
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
