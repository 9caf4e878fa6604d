import { readFileSync } from 'node:fs';

/** One process, told apart from a later one that was given the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Changes when the machine is started again. Absent where the system does not say. */
  readonly bootId?: string;
  /** When the process started, as the system counts. Absent where the system does not say. */
  readonly startTicks?: string;
}

/** The identity of a process, undefined when there is no such process. A zombie process counts as ended. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const bootId = readOrUndefined('/proc/sys/kernel/random/boot_id')?.trim();
  if (bootId === undefined) return isAlive(pid) ? { pid } : undefined;
  const stat = readOrUndefined(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name in parentheses may hold spaces and parentheses itself; what follows the last one may not.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTicks = rest[18];
  if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
  return { pid, bootId, startTicks };
}

/** Whether the very process that was identified as `identity` is still there. */
export function isRunning(identity: ProcessIdentity): boolean {
  const now = identityOf(identity.pid);
  return now !== undefined && now.bootId === identity.bootId && now.startTicks === identity.startTicks;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process may not be signalled, but it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
