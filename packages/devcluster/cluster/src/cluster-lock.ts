import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type Clock, sleep } from '@slipway/kube';
import { ClusterStartError, systemCode } from './cluster-start-error.js';
import { isServed } from './control-socket.js';
import { unusable } from './data-dir.js';
import type { DataDir } from './data-paths.js';
import { identityOf, type ProcessIdentity } from './process-identity.js';
import { isSocketHeld } from './socket-lock.js';

/** Who has a data directory open. */
export interface LockHolder extends ProcessIdentity {
  readonly name: string;
  /** RFC 3339. */
  readonly since: string;
  /** Where the process listens for control requests. */
  readonly socket: string;
}

export interface ClusterLock {
  readonly holder: LockHolder;
  /** Gives the data directory back. May be called twice. */
  release(): void;
}

/**
 * Records this process as the holder of a data directory whose socket it holds (`holdSocket`). The record of a killed
 * process is replaced: the socket alone decides who holds the directory.
 * @throws ClusterStartError DataUnusable
 */
export function recordHolder(dir: DataDir, who: { name: string; nowMs: number; socket: string }): ClusterLock {
  const identity = identityOf(process.pid) ?? { pid: process.pid };
  const holder: LockHolder = {
    ...identity,
    name: who.name,
    since: new Date(who.nowMs).toISOString(),
    socket: who.socket,
  };
  const content = `${JSON.stringify(holder)}\n`;
  // Written aside and renamed, so the record is never seen without its content.
  const draft = `${dir.lock}.${process.pid}`;
  try {
    writeFileSync(draft, content, { mode: 0o600 });
    renameSync(draft, dir.lock);
  } catch (error) {
    throw unusable(dir, error);
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    holder,
    release() {
      if (readRecord(dir)?.text === content) rmSync(dir.lock, { force: true });
    },
  };
}

/**
 * Finds the cluster that has the data directory open now; undefined when there is none. The socket of the holder shows
 * it: the pid of a killed process may belong to another one, and means nothing outside its container.
 */
export async function lockHolder(dir: DataDir): Promise<LockHolder | undefined> {
  const holder = readRecord(dir)?.holder;
  return holder && (await isSocketHeld(dir)) ? holder : undefined;
}

/** A killed process takes a moment to exit: wait for at most this long. */
const dyingTries = 20;
const dyingPauseMs = 50;

/**
 * Refuses a data directory that is in use. Writes nothing.
 * @throws ClusterStartError AlreadyRunning
 */
export async function refuseIfHeld(dir: DataDir, clock: Clock): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const holder = await lockHolder(dir);
    if (!holder) return;
    if (attempt === dyingTries || (await isServed(holder.socket))) throw alreadyRunning(holder);
    await sleep(clock, dyingPauseMs);
  }
}

function alreadyRunning({ name, pid, since }: LockHolder): ClusterStartError {
  const message = `cluster "${name}" is already running (pid ${pid}, since ${since})`;
  return new ClusterStartError('AlreadyRunning', message, 'use --name or slipway down');
}

/** A record that cannot be read names no holder: it was not written by `recordHolder`. */
function readRecord(dir: DataDir): { text: string; holder: LockHolder | undefined } | undefined {
  let text: string;
  try {
    text = readFileSync(dir.lock, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const holder = JSON.parse(text) as LockHolder;
    return { text, holder: Number.isInteger(holder.pid) ? holder : undefined };
  } catch {
    return { text, holder: undefined };
  }
}
