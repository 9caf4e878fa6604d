import { gzipSync } from 'node:zlib';
import { extract, type Header, pack } from 'tar-stream';
import { type ReleaseFile, sortFiles } from './release-file.js';

/** A folder that is in an archive for its own sake. */
export interface EmptyFolder {
  readonly path: string;
  readonly mode: number;
}

/**
 * Packs files into a tar whose bytes depend on nothing but its arguments: entries sorted, folders before what is in
 * them, fixed modes, owner 0, one time for all.
 */
export async function packTar(
  files: readonly ReleaseFile[],
  time: Date,
  emptyFolders: readonly EmptyFolder[] = [],
): Promise<Buffer> {
  const folders = new Map<string, number>(emptyFolders.map(({ path, mode }) => [path, mode]));
  for (const { path } of [...files, ...emptyFolders]) {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at);
      if (!folders.has(folder)) folders.set(folder, 0o755);
    }
  }
  const tar = pack();
  const parts: Buffer[] = [];
  const read = (async () => {
    for await (const part of tar) parts.push(part as Buffer);
  })();
  const fixed: Partial<Header> = { uid: 0, gid: 0, mtime: time };
  for (const [path, mode] of sortFolders(folders)) {
    tar.entry({ ...fixed, name: `${path}/`, type: 'directory', mode } as Header);
  }
  for (const { path, content, isExecutable } of sortFiles(files)) {
    const header = { ...fixed, name: path, mode: isExecutable ? 0o755 : 0o644, size: content.length } as Header;
    tar.entry(header, content);
  }
  tar.finalize();
  await read;
  return Buffer.concat(parts);
}

function sortFolders(folders: ReadonlyMap<string, number>): [string, number][] {
  return sortFiles([...folders.keys()].map((path) => ({ path }))).map(({ path }) => [path, folders.get(path) ?? 0o755]);
}

/** Compresses without a name or a time in the header. */
export function gzip(bytes: Buffer, level = 9): Buffer {
  const packed = gzipSync(bytes, { level });
  // The operating system that compressed: unknown, on every machine.
  packed[9] = 255;
  return packed;
}

/** The files of a tar that `wanted` accepts; links are followed to files of the same tar. */
export async function unpackTar(bytes: Buffer, wanted: (path: string) => boolean): Promise<ReleaseFile[]> {
  const files = new Map<string, ReleaseFile>();
  const links = new Map<string, string>();
  const tar = extract();
  tar.end(bytes);
  for await (const entry of tar) {
    const path = entry.header.name.replace(/^\.?\//, '');
    const parts: Buffer[] = [];
    for await (const part of entry) parts.push(part as Buffer);
    const { type, linkname, mode = 0 } = entry.header;
    if (type === 'symlink' && linkname) links.set(path, new URL(linkname, `tar:/${path}`).pathname.slice(1));
    if (type === 'file') files.set(path, { path, content: Buffer.concat(parts), isExecutable: (mode & 0o100) !== 0 });
  }
  const follow = (path: string): ReleaseFile | undefined => files.get(path) ?? files.get(links.get(path) ?? '');
  return [...files.keys(), ...links.keys()].filter(wanted).flatMap((path) => {
    const found = follow(path);
    return found ? [{ ...found, path }] : [];
  });
}
