import { accessSync, chmodSync, constants, lstatSync, renameSync, rmSync, type Stats, statSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { maxSocketPathBytes } from '../config/pulls-configuration.js';

/** An address that cannot be listened at. The message says which and why, for people. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/**
 * Finds out whether a socket can be made at a path. A dead socket may be replaced; one that answers only to take over; and
 * anything that is not a socket never.
 * @throws ListenError
 */
export async function checkSocketPath(path: string, replaceLive: boolean): Promise<void> {
  const folder = dirname(path);
  const bytes = Math.max(Buffer.byteLength(path), Buffer.byteLength(temporaryPath(path)));
  if (bytes > maxSocketPathBytes)
    throw new ListenError(`${path} has ${bytes} bytes, and a socket path can have at most ${maxSocketPathBytes}`);
  const refuse = (why: string): never => {
    throw new ListenError(`cannot listen at ${path}: ${why}`);
  };
  const parent = statSync(folder, { throwIfNoEntry: false }) ?? refuse(`${folder} does not exist`);
  if (!parent.isDirectory()) refuse(`${folder} is not a directory`);
  if (isOpenToOthers(parent))
    refuse(`${folder} can be written by others than its owner, who could put their socket there`);
  const existing = statOf(path);
  if (!existing) return;
  if (!existing.isSocket()) refuse(`it is ${kindOf(existing)}, not a socket`);
  if (replaceLive || !(await answers(path))) return;
  throw new ListenError(`another process listens at ${path}; to replace a limiter use --take-over`);
}

/**
 * Makes a socket appear at a path with mode 0600, by a rename, so that no client meets it half made.
 * @param bind Makes the caller's server listen at the path it is given.
 * @returns the socket file, by which its owner recognises it.
 * @throws ListenError
 */
export async function bindSocket(
  path: string,
  replaceLive: boolean,
  bind: (path: string) => Promise<void>,
): Promise<SocketFile> {
  await checkSocketPath(path, replaceLive);
  const temporary = temporaryPath(path);
  await bind(temporary);
  const made = lstatSync(temporary);
  try {
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return new SocketFile(path, made);
}

/** Another one each time: a server that closes removes the path that it was bound to, whoever is there by then. */
function temporaryPath(path: string): string {
  return join(dirname(path), `~${Math.random().toString(36).slice(2, 6).padEnd(4, '0')}`);
}

/** A socket file of this process. Another process may have replaced it since. */
export class SocketFile {
  readonly #path: string;
  readonly #made: Stats;

  constructor(path: string, made: Stats) {
    this.#path = path;
    this.#made = made;
  }

  /** Whether it is still the one that was made here. */
  isOurs(): boolean {
    const now = statOf(this.#path);
    return now !== undefined && now.ino === this.#made.ino && now.dev === this.#made.dev;
  }

  /** Removes it, unless it is another's by now. */
  remove(): void {
    if (this.isOurs()) rmSync(this.#path, { force: true });
  }
}

/** Why a client cannot connect to a path, as far as the file system tells; undefined when it may. */
export function socketProblem(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return 'does not exist';
    if (!found.isSocket()) return `is ${kindOf(found)}, not a socket`;
    accessSync(path, constants.R_OK | constants.W_OK);
    return undefined;
  } catch (error) {
    return `cannot be used: ${(error as Error).message}`;
  }
}

/** With the sticky bit, as /tmp has it, no user can replace what another user made. */
function isOpenToOthers({ mode }: Stats): boolean {
  return (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
}

function kindOf(stats: Stats): string {
  if (stats.isFile()) return 'a file';
  if (stats.isDirectory()) return 'a directory';
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isFIFO()) return 'a pipe';
  return 'a device';
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
    // Who may not connect, or finds the queue of connections full, knows that a process listens.
    socket.once('error', ({ code }: NodeJS.ErrnoException) => say(code === 'EACCES' || code === 'EAGAIN'));
  });
}
