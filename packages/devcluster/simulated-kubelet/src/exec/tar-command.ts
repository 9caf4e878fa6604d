import { posix } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { FileError } from './pod-disk.js';
import type { Process, Program } from './process.js';
import { archiveOf, membersOf, TarError, type TarMember } from './tar-format.js';

/** What tar was told to do. */
interface TarTask {
  readonly does: 'c' | 'x' | 't';
  readonly packed: boolean;
  /** `-` for what is typed, or written. */
  readonly archive: string;
  readonly folder: string;
  readonly paths: readonly string[];
}

const understood = /^-?(?=[cxtzfmvpo]*$)[a-z]+$/;
const ignored = ['--no-same-owner', '--no-same-permissions', '--same-permissions', '--overwrite'];
/** No archive of what a pod can write is longer than this, unpacked, in bytes. */
const longestArchive = 64 * 1024 * 1024;

/** Packs and unpacks archives, as `kubectl cp` asks for it: `tar cf - PATH`, `tar xmf - -C FOLDER`; with `z` packed, and `t` lists. */
export const tar: Program = async (process, args) => {
  const task = taskOf(process, args);
  if (typeof task === 'string') {
    process.err(`tar: ${task}\n`);
    return 2;
  }
  try {
    return await (task.does === 'c' ? pack(process, task) : unpack(process, task));
  } catch (error) {
    if (!(error instanceof TarError) && !(error instanceof FileError)) throw error;
    process.err(`tar: ${error.message}\n${failed}`);
    return 2;
  }
};

const failed = 'tar: Exiting with failure status due to previous errors\n';

function taskOf(process: Process, args: readonly string[]): TarTask | string {
  let letters = '';
  let archive = '-';
  let { folder } = process;
  const paths: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] as string;
    if (arg === '-C') folder = posix.resolve(folder, args[++at] ?? '');
    else if (ignored.includes(arg)) continue;
    else if (understood.test(arg) && (at === 0 || arg.startsWith('-'))) {
      letters += arg.replace('-', '');
      if (arg.includes('f')) archive = args[++at] ?? '-';
    } else if (arg.startsWith('-') && arg !== '-') return `a simulated container does not know ${arg}`;
    else paths.push(arg);
  }
  const does = (['c', 'x', 't'] as const).filter((each) => letters.includes(each));
  if (does.length !== 1 || !does[0]) return 'You must specify one of the -c, -x and -t options';
  if (does[0] === 'c' && paths.length === 0) return 'Cowardly refusing to create an empty archive';
  if (!process.files.isFolder(folder)) return `${folder}: Cannot open: No such file or directory`;
  return { does: does[0], packed: letters.includes('z'), archive, folder, paths };
}

async function pack(process: Process, { archive, folder, packed, paths }: TarTask): Promise<number> {
  const members: TarMember[] = [];
  let code = 0;
  for (const path of paths) {
    const full = posix.resolve(folder, path);
    if (process.files.isFile(full) || process.files.isFolder(full)) {
      if (path.startsWith('/')) process.err("tar: Removing leading `/' from member names\n");
      await gather(process, full, posix.normalize(path).replace(/^\/+/, '').replace(/\/$/, '') || '.', members);
    } else {
      process.err(`tar: ${path}: Cannot stat: No such file or directory\n`);
      code = 2;
    }
  }
  const bytes = archiveOf(members);
  const written = packed ? gzipSync(bytes) : bytes;
  if (archive === '-') process.out(written);
  else process.files.write(posix.resolve(process.folder, archive), written);
  if (code !== 0) process.err(failed);
  return code;
}

async function gather(process: Process, path: string, name: string, members: TarMember[]): Promise<void> {
  const { files } = process;
  const facts = files.facts(path);
  if (files.isFile(path)) {
    members.push({ kind: 'file', name, ...facts, content: (await files.read(path)) ?? Buffer.alloc(0) });
    return;
  }
  members.push({ kind: 'folder', name, ...facts, content: Buffer.alloc(0) });
  for (const each of files.list(path)) await gather(process, posix.join(path, each), posix.join(name, each), members);
}

async function unpack(process: Process, { archive, does, folder, packed, paths }: TarTask): Promise<number> {
  const given = await archiveBytes(process, archive);
  let code = 0;
  for (const member of membersOf(packed ? unzipped(given) : given)) {
    if (paths.length > 0 && !paths.some((path) => member.name === path || member.name.startsWith(`${path}/`))) continue;
    try {
      if (does === 't') process.out(`${member.name}${member.kind === 'folder' ? '/' : ''}\n`);
      else restore(process, folder, member);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      process.err(`tar: ${member.name}: Cannot open: ${error.message}\n`);
      code = 2;
    }
  }
  if (code !== 0) process.err(failed);
  return code;
}

/** Names lead nowhere but below `folder`, whatever they say. */
function restore({ files }: Process, folder: string, { kind, name, mode, content }: TarMember): void {
  const path = posix.join(folder, posix.join('/', name));
  if (kind === 'other') throw new FileError('a simulated container has files and folders only');
  files.makeFolders(kind === 'folder' ? path : posix.dirname(path));
  if (kind === 'file') files.write(path, Buffer.from(content), mode);
}

async function archiveBytes({ files, folder, input }: Process, archive: string): Promise<Buffer> {
  if (archive === '-') return (await input?.rest()) ?? Buffer.alloc(0);
  const content = await files.read(posix.resolve(folder, archive));
  if (!content) throw new TarError(`${archive}: Cannot open: No such file or directory`);
  return content;
}

function unzipped(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: longestArchive });
  } catch (error) {
    throw new TarError('the archive is not in gzip format, or is too large', { cause: error });
  }
}
