import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type Clock, sleep } from '@slipway/kube';
import { ClusterStartError, systemCode } from './cluster-start-error.js';
import { isServed } from './control-socket.js';
import { type DataDir, unusable } from './data-dir.js';
import { identityOf, isRunning, type ProcessIdentity } from './process-identity.js';
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
 * Takes a data directory for this process. A lock that a killed process left
 * behind is taken over; its number may meanwhile belong to another process.
 * @throws ClusterStartError AlreadyRunning, DataUnusable
 */
export function lockDataDir(dir: DataDir, who: { name: string; nowMs: number; socket: string }): ClusterLock {
  const identity = identityOf(process.pid) ?? { pid: process.pid };
  const holder: LockHolder = {
    ...identity,
    name: who.name,
    since: new Date(who.nowMs).toISOString(),
    socket: who.socket,
  };
  const content = `${JSON.stringify(holder)}\n`;
  // Written aside and linked, so the lock is never seen without its content.
  const draft = `${dir.lock}.${process.pid}`;
  try {
    writeFileSync(draft, content, { mode: 0o600 });
    while (!linked(draft, dir.lock)) makeWay(dir, `${draft}.stale`);
  } catch (error) {
    throw error instanceof ClusterStartError ? error : unusable(dir, error);
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    holder,
    release() {
      if (readLock(dir)?.text === content) rmSync(dir.lock, { force: true });
    },
  };
}

/**
 * Who has the data directory open now, undefined when nobody has. Found by the socket that the holder listens on: the
 * number of a process that was killed may belong to another one, and it means nothing outside of its container.
 */
export async function lockHolder(dir: DataDir): Promise<LockHolder | undefined> {
  const holder = readLock(dir)?.holder;
  if (!holder) return undefined;
  const isHeld = process.platform === 'win32' ? isRunning(holder) : await isSocketHeld(dir);
  return isHeld ? holder : undefined;
}

/** A process that was killed is there for a moment yet: it is given this long to be gone. */
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

function makeWay(dir: DataDir, aside: string): void {
  const found = readLock(dir);
  if (!found) return;
  refuseIfRunning(found.holder);
  try {
    renameSync(dir.lock, aside);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw error;
  }
  // Somebody may have taken over between the look and the move: that lock goes back.
  const moved = readFileSync(aside, 'utf8');
  if (moved !== found.text) linked(aside, dir.lock);
  rmSync(aside, { force: true });
}

function refuseIfRunning(holder: LockHolder | undefined): void {
  if (holder && isRunning(holder)) throw alreadyRunning(holder);
}

function alreadyRunning({ name, pid, since }: LockHolder): ClusterStartError {
  const message = `cluster "${name}" is already running (pid ${pid}, since ${since})`;
  return new ClusterStartError('AlreadyRunning', message, 'use --name or slipway down');
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** A lock that cannot be read holds nobody off: it was not written by `lockDataDir`. */
function readLock(dir: DataDir): { text: string; holder: LockHolder | undefined } | undefined {
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
