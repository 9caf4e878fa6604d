import { chmodSync, lstatSync, readFileSync, renameSync, rmSync, type Stats } from 'node:fs';
import { connect, type Server } from 'node:net';
import { dirname } from 'node:path';
import { passedSocket } from '../config/pulls-settings.js';

/** A socket path that cannot be used. The message says why, for people. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** One byte is left for the name that the socket has until it is ready. */
const longestPath = 106;

export interface ListenOptions {
  readonly takeOver?: boolean;
  /** Called when a connection could not be accepted, for example because too many files are open. Those there live on. */
  readonly onAcceptError?: (error: Error) => void;
  /** Where systemd says what it passes on. Default `process.env`. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/**
 * Makes a server listen at a path with mode 0600. The socket appears ready, by a
 * rename, so no client meets it half made. `fd:3` is the socket that systemd holds, and stays. A dead socket is replaced; one that
 * answers is left alone except to take over, and anything that is no socket always.
 * @returns what takes the path away again, unless somebody else has it by then.
 * @throws ListenError
 */
export async function listenAt(server: Server, path: string, options: ListenOptions = {}): Promise<() => void> {
  if (path === passedSocket) {
    const { LISTEN_FDS } = options.env ?? process.env;
    if (!(Number(LISTEN_FDS) >= 1))
      throw new ListenError(`no socket is passed as ${path}: start it by its systemd socket`);
    await listening(server, { fd: 3 }, path, options);
    return () => {};
  }
  const bytes = Buffer.byteLength(path);
  if (bytes > longestPath)
    throw new ListenError(`${path} has ${bytes} bytes, and a socket path ${longestPath} at most`);
  const folder = statOf(dirname(path));
  if (folder && isOpenToOthers(folder)) {
    throw new ListenError(`${dirname(path)} can be written by others than its owner, who could put their socket there`);
  }
  const there = statOf(path);
  if (there && !there.isSocket()) throw new ListenError(`${path} is there and is no socket`);
  if (there && !options.takeOver && (await answers(path))) throw new ListenError(`somebody listens at ${path} already`);
  const making = `${path}~`;
  if (statOf(making)?.isSocket()) rmSync(making);
  await listening(server, { path: making, backlog: 4_096 }, path, options);
  chmodSync(making, 0o600);
  renameSync(making, path);
  const made = statOf(path);
  return () => {
    if (statOf(path)?.ino === made?.ino) rmSync(path, { force: true });
  };
}

async function listening(server: Server, at: ListenTarget, name: string, options: ListenOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const failed = (error: Error) => reject(new ListenError(`cannot listen at ${name}: ${error.message}`));
    server.once('error', failed);
    server.listen(at, () => {
      server.off('error', failed);
      resolve();
    });
  });
  server.on('error', (error) => options.onAcceptError?.(error));
  server.maxConnections = Math.max(fewestConnections, openFilesLimit() - keptFiles);
  server.on('drop', () => options.onAcceptError?.(new Error(`${server.maxConnections} connections are open already`)));
}

const fewestConnections = 16;
/** For everything that is no connection of a client. */
const keptFiles = 64;

/**
 * How many files this process may have open. Beyond it the platform closes new connections without a word, which is
 * worse than our own limit below it, of which people hear.
 */
function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}

type ListenTarget = { readonly fd: number } | { readonly path: string; readonly backlog: number };

/** With the sticky bit, as /tmp has it, nobody can replace what another one made. */
function isOpenToOthers({ mode }: Stats): boolean {
  return (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
}

function statOf(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const say = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.once('connect', () => say(true));
    socket.once('error', () => say(false));
  });
}
