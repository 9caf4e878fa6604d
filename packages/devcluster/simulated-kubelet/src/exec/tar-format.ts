const blockBytes = 512;

/** One member of an archive. */
export interface TarMember {
  readonly kind: 'file' | 'folder' | 'other';
  /** As the archive has it; without a slash at the end. */
  readonly name: string;
  /** Permission bits. */
  readonly mode: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAtMs: number;
  readonly content: Buffer;
}

/** The input is not a tar archive, or is truncated. */
export class TarError extends Error {
  override readonly name = 'TarError';
}

/**
 * Reads an archive as POSIX.1-2001 has it (ustar and pax), with the long names of GNU tar.
 * @throws TarError
 */
export function* membersOf(archive: Buffer): Generator<TarMember> {
  if (archive.length < blockBytes) throw new TarError('This does not look like a tar archive');
  let told: Told = {};
  for (let at = 0; at + blockBytes <= archive.length; ) {
    const header = archive.subarray(at, at + blockBytes);
    if (header.every((byte) => byte === 0)) return;
    requireChecksum(header);
    const size = told.size ?? numberIn(header, 124, 12);
    const content = archive.subarray(at + blockBytes, at + blockBytes + size);
    if (content.length < size) throw new TarError('Unexpected EOF in archive');
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'x') told = { ...told, ...paxFields(content) };
    else if (type === 'L') told = { ...told, path: textIn(content, 0, content.length) };
    else if (type !== 'g' && type !== 'K') {
      yield memberOf(header, type, told.path ?? nameIn(header), content);
      told = {};
    }
  }
}

interface Told {
  readonly path?: string;
  readonly size?: number;
}

function memberOf(header: Buffer, type: string, name: string, content: Buffer): TarMember {
  const isFolder = type === '5' || ((type === '0' || type === '\0') && name.endsWith('/'));
  const isFile = type === '0' || type === '\0' || type === '7';
  return {
    kind: isFolder ? 'folder' : isFile ? 'file' : 'other',
    name: name.replace(/\/+$/, ''),
    mode: numberIn(header, 100, 8) & 0o7777,
    modifiedAtMs: numberIn(header, 136, 12) * 1000,
    content,
  };
}

/** An archive of members, in ustar; names that do not fit there are in pax headers. */
export function archiveOf(members: Iterable<TarMember>): Buffer {
  const blocks: Buffer[] = [];
  for (const member of members) {
    const name = member.kind === 'folder' ? `${member.name}/` : member.name;
    const short = splitName(name);
    if (!short) blocks.push(...block('x', 'pax_header', { ...member, content: paxRecord('path', name) }));
    blocks.push(...block(member.kind === 'folder' ? '5' : '0', name, member));
  }
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]);
}

function block(type: string, name: string, { mode, modifiedAtMs, content }: TarMember): readonly Buffer[] {
  const header = Buffer.alloc(blockBytes);
  const [prefix, rest] = splitName(name) ?? ['', Buffer.from(name).subarray(0, 100)];
  header.set(Buffer.from(rest), 0);
  const octal = (value: number, at: number, length: number) =>
    header.write(value.toString(8).padStart(length - 1, '0'), at, 'latin1');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(content.length, 124, 12);
  octal(Math.max(0, Math.floor(modifiedAtMs / 1000)), 136, 12);
  header.write(type, 156, 'latin1');
  header.write('ustar\x0000root', 257, 'latin1');
  header.write('root', 297, 'latin1');
  header.write(prefix, 345);
  header.write(`${checksum(header).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return [header, content, Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes)];
}

/** A name as ustar keeps it: 155 bytes, a slash and 100 bytes; undefined when it does not fit. */
function splitName(name: string): readonly [prefix: string, rest: string] | undefined {
  if (/[^\x20-\x7e]/.test(name)) return undefined;
  if (name.length <= 100) return ['', name];
  const at = name.indexOf('/', Math.max(1, name.length - 101));
  return at < 0 || at > 155 || at === name.length - 1 ? undefined : [name.slice(0, at), name.slice(at + 1)];
}

function nameIn(header: Buffer): string {
  const [prefix, name] = [textIn(header, 345, 155), textIn(header, 0, 100)];
  const isUstar = header.toString('latin1', 257, 263) === 'ustar\0';
  return isUstar && prefix !== '' ? `${prefix}/${name}` : name;
}

function textIn(bytes: Buffer, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? field.length : end);
}

/** Octal digits, or, where the first bit is set, a number of 256 to the power of its bytes as GNU tar has it. */
function numberIn(header: Buffer, at: number, length: number): number {
  const first = header[at] ?? 0;
  if ((first & 0x80) !== 0) {
    return header.subarray(at + 1, at + length).reduce((sum, byte) => sum * 256 + byte, first & 0x7f);
  }
  const digits = textIn(header, at, length).trim();
  if (!/^[0-7]*$/.test(digits)) throw new TarError('This does not look like a tar archive');
  return Number.parseInt(digits || '0', 8);
}

function requireChecksum(header: Buffer): void {
  if (numberIn(header, 148, 8) !== checksum(header)) throw new TarError('This does not look like a tar archive');
}

/** The sum of all bytes, those of the checksum itself taken for spaces. */
function checksum(header: Buffer): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 0x20 : byte), 0);
}

/** Records such as `18 path=some/name` and a newline; the number is the length of the whole record in bytes. */
function paxFields(content: Buffer): Told {
  const told: { path?: string; size?: number } = {};
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(' ', at);
    const length = Number(content.toString('latin1', at, space));
    if (space < 0 || !Number.isInteger(length) || length <= space - at) throw new TarError('Malformed extended header');
    const record = content.toString('utf8', space + 1, at + length - 1);
    const [name, value] = [record.slice(0, record.indexOf('=')), record.slice(record.indexOf('=') + 1)];
    if (name === 'path') told.path = value;
    if (name === 'size') told.size = Number(value);
    at += length;
  }
  return told;
}

function paxRecord(name: string, value: string): Buffer {
  const tail = Buffer.from(` ${name}=${value}\n`);
  let length = tail.length;
  while (length !== tail.length + String(length).length) length = tail.length + String(length).length;
  return Buffer.concat([Buffer.from(String(length)), tail]);
}
