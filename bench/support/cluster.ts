import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Looks at the event loop from inside the process. */
const probe = new URL('./stall-probe.js', import.meta.url).href;
const program = fileURLToPath(new URL('../../../packages/cli/bin/slipway.js', import.meta.url));

/** A cluster run by `slipway up` in a process of its own, as a user has it. */
export interface BenchCluster {
  readonly url: string;
  readonly kubeconfig: string;
  readonly pid: number;
  /** Milliseconds from starting the process to the line that says the API answers. */
  readonly readyMs: number;
  /**
   * The longest 0.1 % of the turns of its event loop since the last call took at least this long, in
   * milliseconds; with it, the longest one.
   */
  stalls(): Promise<{ readonly p999Ms: number; readonly maxMs: number }>;
  /** CPU time in milliseconds of the longest turn of its event loop since the last call; the first call begins to look. */
  turnCpuMs(): Promise<number>;
  /** What its heap holds in MB (10^6 bytes), after everything was collected: it stands still meanwhile. */
  heapMegabytes(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts `slipway up` with these flags in a temporary folder that `stop` removes. */
export async function startCluster(...flags: string[]): Promise<BenchCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const startedAt = performance.now();
  const child = spawn(
    program,
    ['up', '--port', '0', '--kubeconfig', kubeconfig, '--data-dir', join(folder, 'data'), '-o', 'json', ...flags],
    {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...process.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${probe}` },
    },
  );
  const line = await firstLine(child);
  const readyMs = performance.now() - startedAt;
  return {
    url: (JSON.parse(line) as { url: string }).url,
    kubeconfig,
    pid: child.pid ?? 0,
    readyMs,
    stalls: async () => (await asked(child, 'stalls')) as { p999Ms: number; maxMs: number },
    turnCpuMs: async () => ((await asked(child, 'turns')) as { maxCpuMs: number }).maxCpuMs,
    heapMegabytes: async () => ((await asked(child, 'heap')) as { heapBytes: number }).heapBytes / 1e6,
    async stop() {
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What the probe in a process answers. */
function asked(child: ChildProcess, question: string): Promise<unknown> {
  return new Promise((resolve) => {
    child.once('message', resolve);
    child.send(question);
  });
}

/** Ends a process with SIGTERM and waits until it is gone. */
export function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}

/** Resident memory of a process in MB (10^6 bytes), read from /proc. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kilobytes) * 1_024) / 1e6;
}

/** CPU time a process has used in all its threads, in microseconds, read from /proc; counted in ticks of 10 ms. */
export function cpuMicros(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.once('exit', (code) => reject(new Error(`slipway up ended with ${code}`)));
    child.stdout?.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
  });
}
