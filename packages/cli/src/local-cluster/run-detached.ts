import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { defaultDataDir, prepareDataDir } from '@slipway/devcluster';
import { calledAs } from '../output/called-as.js';
import { jsonContent } from '../output/content.js';
import type { Invocation } from '../runtime/command.js';
import { type ExitCode, exit } from '../runtime/exit.js';
import { greeting, type StartedCluster } from './greeting.js';
import { thisProgram } from './this-program.js';
import type { UpOptions } from './up-options.js';

/**
 * Starts the same `slipway up` in a session of its own and returns once its cluster is ready. Until then its log has
 * another name, so that a start that is rejected does not touch the log of the cluster that runs.
 */
export async function runDetached(options: UpOptions, { terminal, signal, answer }: Invocation): Promise<void> {
  const dir = prepareDataDir(options.dataDir ?? defaultDataDir(options.name));
  const draft = `${dir.log}.${process.pid}`;
  try {
    const child = startInBackground(draft);
    const stop = () => void child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    const { document, ended } = await untilReady(child);
    signal.removeEventListener('abort', stop);
    terminal.err(readFileSync(draft, 'utf8'));
    if (document === undefined) {
      if (typeof ended === 'string') terminal.err(`slipway: the cluster was ended by ${ended} before it was ready\n`);
      return answer(signal.aborted ? exit.interrupted : typeof ended === 'string' ? exit.bug : ended);
    }
    if (existsSync(dir.log)) renameSync(dir.log, `${dir.log}.1`);
    renameSync(draft, dir.log);
    const cluster: StartedCluster = { ...document, log: dir.log };
    terminal.out(options.format === 'json' ? jsonContent(cluster, 0) : greeting(cluster));
  } finally {
    rmSync(draft, { force: true });
  }
}

function startInBackground(logFile: string): ChildProcess {
  const log = openSync(logFile, 'wx', 0o600);
  try {
    return spawn(process.execPath, [...thisProgram(), ...wordsInForeground()], {
      detached: true,
      stdio: ['ignore', 'pipe', log],
      env: { ...process.env, SLIPWAY_CALLED_AS: calledAs },
    });
  } finally {
    closeSync(log);
  }
}

function wordsInForeground(): readonly string[] {
  return [...process.argv.slice(2).filter((word) => word !== '--detach'), '--output', 'json'];
}

interface Readiness {
  /** What `up` printed; undefined when it ended first. */
  readonly document?: StartedCluster;
  /** Its exit code, or the signal that ended it. */
  readonly ended: ExitCode | NodeJS.Signals;
}

function untilReady(child: ChildProcess): Promise<Readiness> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, killedBy) => resolve({ ended: killedBy ?? (code as ExitCode) }));
    const { stdout } = child;
    if (!stdout) return;
    createInterface({ input: stdout }).once('line', (line) => {
      stdout.destroy();
      child.unref();
      resolve({ document: JSON.parse(line) as StartedCluster, ended: exit.ok });
    });
  });
}
