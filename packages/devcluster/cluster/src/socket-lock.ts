import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, openSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { type Clock, sleep } from '@slipway/kube';
import { ClusterStartError, systemCode } from './cluster-start-error.js';
import type { DataDir } from './data-paths.js';

const socketName = /^in-use\.[0-9a-f]+\.sock$/;
/** How often a start looks whether another one that began at the same moment has given way. */
const lookAgainMs = 10;

/**
 * Takes a data directory with a socket that this process listens on. The kernel accepts connections to it exactly as
 * long as the process lives, whatever process ids mean to the one that connects: two containers that share the
 * directory see each other.
 *
 * Every start shows its own socket first and then looks for those of others, so of two starts at least one sees the
 * other. Sockets have unique names: one without a listener will never get one again, and is removed.
 * A start gives way to a holder, and to another start whose name comes first.
 * @returns a function that gives the data directory back
 * @throws ClusterStartError AlreadyRunning
 */
export async function holdSocket(dir: DataDir, clock: Clock): Promise<() => void> {
  const own = `in-use.${randomBytes(8).toString('hex')}.sock`;
  const server = createServer((socket) => socket.destroy());
  const release = () => {
    for (const path of [join(dir.path, own), heldPath(dir, own)]) rmSync(path, { force: true });
    server.close();
  };
  const folder = openSync(dir.path, 'r');
  const short = shortPath(dir.path, folder);
  try {
    await listen(server, join(short, `${own}.new`));
    // Visible to others only now, with a listener.
    renameSync(join(short, `${own}.new`), join(short, own));
    while (await mustWait(dir, short, own)) await sleep(clock, lookAgainMs);
    writeFileSync(heldPath(dir, own), '', { mode: 0o600 });
    server.unref();
    return release;
  } catch (error) {
    release();
    throw error;
  } finally {
    closeSync(folder);
  }
}

/** Maximum length of the path of a socket, less the longest name of one; macOS allows 104 bytes, Linux 108. */
const maxFolderBytes = 103 - 'in-use.0123456789abcdef.sock.new/'.length;

/**
 * A path of an open folder that leaves room for a socket's name. Where the folder's own is too long, Linux has one by
 * its descriptor.
 */
function shortPath(path: string, descriptor: number): string {
  const byDescriptor = `/proc/self/fd/${descriptor}`;
  return Buffer.byteLength(path) > maxFolderBytes && existsSync(byDescriptor) ? byDescriptor : path;
}

/** Whether a process holds a data directory, in this container or in another one. */
export async function isSocketHeld(dir: DataDir): Promise<boolean> {
  let folder: number | undefined;
  try {
    folder = openSync(dir.path, 'r');
    const short = shortPath(dir.path, folder);
    for (const name of readdirSync(dir.path).filter((name) => socketName.test(name)))
      if (existsSync(heldPath(dir, name)) && (await hasListener(join(short, name)))) return true;
    return false;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return false;
    throw error;
  } finally {
    if (folder !== undefined) closeSync(folder);
  }
}

/** Whether another start has yet to give way to this one. @throws ClusterStartError AlreadyRunning to give way */
async function mustWait(dir: DataDir, short: string, own: string): Promise<boolean> {
  let isOther = false;
  for (const other of readdirSync(dir.path).filter((name) => socketName.test(name) && name !== own)) {
    if (!(await hasListener(join(short, other)))) {
      for (const path of [join(dir.path, other), heldPath(dir, other)]) rmSync(path, { force: true });
    } else if (other < own || existsSync(heldPath(dir, other))) {
      throw inUse(dir);
    } else {
      isOther = true;
    }
  }
  return isOther;
}

/** Says that the start with this socket holds the directory. The socket keeps its name beside it. */
function heldPath(dir: DataDir, socket: string): string {
  return join(dir.path, `${socket}.held`);
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
}

/** Whether the process that bound a socket lives. One that is too busy to accept does. */
function hasListener(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => resolve(!['ECONNREFUSED', 'ENOENT'].includes(systemCode(error) ?? '')));
  });
}

function inUse(dir: DataDir): ClusterStartError {
  const message = `${dir.path} is already in use by another process, perhaps in another container`;
  return new ClusterStartError('AlreadyRunning', message, 'stop that cluster, or name another folder with --data-dir');
}
