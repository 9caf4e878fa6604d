import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type Clock, systemClock } from '@slipway/kube';

/** What the system tells of a process. */
export interface ProcessFacts {
  readonly parent: number;
  /** Its command line, word by word. npm has its own title there: `npm start`. */
  readonly words: readonly string[];
}

export type ReadProcess = (pid: number) => ProcessFacts | undefined;

/** A process and its parent. */
export type ParentLink = readonly [pid: number, parent: number];

const lookEveryMs = 1_000;

/**
 * Runs `onGone` once the package manager that runs this process has ended. One that is killed, or whose shell in
 * between is, cannot pass that on. Does nothing without one: who starts a process from a shell, with `nohup`, `setsid`
 * or a service manager decides by other means how long it lives.
 */
export function followPackageManager(onGone: () => void, clock: Clock = systemClock, read = readProcess): void {
  const links = linksToPackageManager(process.pid, read);
  if (links.length === 0) return;
  const look = () => {
    if (links.some(([pid, parent]) => read(pid)?.parent !== parent)) onGone();
    else clock.after(lookEveryMs, look);
  };
  look();
}

/** From `pid` over the shells that run a command for it up to npm and the like; empty when there is anything else between. */
export function linksToPackageManager(pid: number, read: ReadProcess): readonly ParentLink[] {
  const parent = read(pid)?.parent ?? 0;
  const words = read(parent)?.words ?? [];
  const link: ParentLink = [pid, parent];
  if (isPackageManager(words)) return [link];
  if (!isShellWithCommand(words)) return [];
  const above = linksToPackageManager(parent, read);
  return above.length === 0 ? [] : [link, ...above];
}

function isShellWithCommand([program = '', flag = '']: readonly string[]): boolean {
  return /^-?(sh|bash|dash|zsh|ash|busybox)$/.test(basename(program)) && /^-[a-z]*c$/.test(flag);
}

function isPackageManager(words: readonly string[]): boolean {
  const [program = '', script = ''] = words.flatMap((word) => word.split(' '));
  const name = basename(basename(program) === 'node' ? script : program);
  return /^(npm|npx|pnpm|yarn|bun)(-cli)?(\.[cm]?js)?$/.test(name);
}

function readProcess(pid: number): ProcessFacts | undefined {
  try {
    return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
  } catch {
    return undefined;
  }
}

function fromProc(pid: number): ProcessFacts {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold anything; behind the last one stand the state and the parent.
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return { parent: Number(parent), words };
}

function fromPs(pid: number): ProcessFacts {
  if (pid === process.pid) return { parent: process.ppid, words: process.argv };
  const [parent, ...words] = execFileSync('ps', ['-o', 'ppid=,command=', '-p', `${pid}`], { encoding: 'utf8' })
    .trim()
    .split(/\s+/);
  return { parent: Number(parent), words };
}
