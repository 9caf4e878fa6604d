import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kube } from '@slipway/kube';
import { kubectlHeap } from '../../tools/heap-flags.js';
import { findKubectl } from '../../tools/real-parts.js';
import { hosted } from './cluster-host.js';
import { loadedCommand } from './loaded-command.js';

/** The root of the clone. */
export const repository = fileURLToPath(new URL('../../', import.meta.url));
/** The built command, as npm links it. */
export const slipwayProgram = join(repository, 'packages/cli/bin/slipway.js');

/** What a finished program left behind. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, as a user would. Never throws for a non-zero exit. */
export function run(
  program: string,
  args: readonly string[],
  options: {
    readonly stdin?: string;
    readonly env?: NodeJS.ProcessEnv;
    readonly cwd?: string;
    readonly timeoutMs?: number;
  } = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: options.cwd ?? repository,
      env: { ...process.env, NO_COLOR: '1', ...options.env },
      timeout: options.timeoutMs ?? 60_000,
      killSignal: 'SIGKILL',
    });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() });
    });
    // A program may end before it has read what it is given; its exit code says enough.
    child.stdin.on('error', () => {});
    child.stdin.end(options.stdin ?? '');
  });
}

/** Runs the built `slipway` command; where its verb is new, or its input or folder matter, in a process of its own. */
export function slipway(args: readonly string[], options: Parameters<typeof run>[2] = {}): Promise<Outcome> {
  const { env, timeoutMs = 60_000, stdin, cwd } = options;
  const loaded = stdin === undefined && cwd === undefined ? loadedCommand(args, env) : undefined;
  return loaded?.run(args, timeoutMs) ?? run(process.execPath, [slipwayProgram, ...args], options);
}

/** A cluster started by `slipway up`. */
export interface RunningCluster extends AsyncDisposable {
  readonly url: string;
  readonly kubeconfig: string;
  readonly dataDir: string;
  /** What `up` has written to stderr so far. */
  log(): string;
  kubectl(args: readonly string[], options?: Parameters<typeof run>[2]): Promise<Outcome>;
  slipway(args: readonly string[], options?: Parameters<typeof run>[2]): Promise<Outcome>;
  /**
   * A client of its administrator, for what a test reads that is not about kubectl: to start a kubectl for each look at
   * what is waited for takes more processor time than what is waited for.
   */
  kube(): Promise<Kube>;
  /** Stops the cluster in order, keeps the data, and resolves with the exit code of `up`. */
  stop(): Promise<number | null>;
}

/** A cluster in a process of its own. */
export interface ClusterProcess extends RunningCluster {
  readonly process: ChildProcess;
  /** Ends the process; SIGTERM stops it in order, SIGKILL is a crash. Keeps the data. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

/** The newest version in which the gates of the catalogue are off by default, and none is locked: what turns them on and off starts from it. */
export const freeGates = '1.34';

export interface UpSettings {
  /** Kubernetes version. Default: that of `slipway up`. */
  readonly kubernetes?: string;
  readonly args?: readonly string[];
  readonly dataDir?: string;
  readonly nodes?: number;
  /** Whether `--port` is left out; otherwise a free port is asked for. */
  readonly isOnUsualPort?: boolean;
}

/**
 * Runs `slipway up` with `-o json`, in a process that may run other clusters, and waits for the line that says that the API
 * answers. Without `dataDir` everything lies in a temporary folder that is removed at the end.
 */
export async function up(settings: UpSettings = {}): Promise<RunningCluster> {
  const { folder, kubeconfig, words } = wordsOf(settings);
  const command = hosted(words);
  const { url } = JSON.parse(await command.firstAnswer) as { url: string };
  const stop = async () => {
    command.stop();
    return await command.ended;
  };
  return {
    url,
    log: command.log,
    stop,
    ...reaching(kubeconfig, folder),
    async [Symbol.asyncDispose]() {
      await stop();
      if (!settings.dataDir) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** As `up`, in a process of its own: for what happens to processes. */
export async function upAlone(
  settings: UpSettings & { readonly env?: NodeJS.ProcessEnv } = {},
): Promise<ClusterProcess> {
  const { folder, kubeconfig, words } = wordsOf(settings);
  const child = spawn(process.execPath, [slipwayProgram, ...words], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...settings.env },
  });
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += String(chunk);
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const first = await firstLine(child, ended, () => log);
  const { url } = JSON.parse(first) as { url: string };
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return await ended;
  };
  return {
    url,
    process: child,
    log: () => log,
    end,
    stop: () => end('SIGTERM'),
    ...reaching(kubeconfig, folder),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      const slow = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(slow);
      if (!settings.dataDir) rmSync(folder, { recursive: true, force: true });
    },
  };
}

function wordsOf({ args = [], dataDir, nodes = 3, isOnUsualPort = false, kubernetes }: UpSettings) {
  const folder = dataDir ?? mkdtempSync(join(tmpdir(), 'slipway-e2e-'));
  const kubeconfig = join(folder, 'kubeconfig.e2e');
  const words = ['up', '--nodes', String(nodes), '--kubeconfig', kubeconfig];
  if (!isOnUsualPort) words.push('--port', '0');
  if (kubernetes !== undefined) words.push('--kubernetes', kubernetes);
  words.push('--data-dir', join(folder, 'data'), '-o', 'json', ...args);
  return { folder, kubeconfig, words };
}

function reaching(
  kubeconfig: string,
  dataDir: string,
): Pick<RunningCluster, 'kubeconfig' | 'dataDir' | 'kubectl' | 'slipway' | 'kube'> {
  const inCluster = { KUBECONFIG: kubeconfig };
  let kube: Promise<Kube> | undefined;
  return {
    kubeconfig,
    dataDir,
    kubectl: (words, more = {}) =>
      run(kubectlProgram(), words, { ...more, env: { ...kubectlHeap, ...inCluster, ...more.env } }),
    slipway: (words, more = {}) => slipway(words, { ...more, env: { ...inCluster, ...more.env } }),
    kube: () => {
      kube ??= Kube.connect({ kubeconfig });
      return kube;
    },
  };
}

/** Asks again until `check` holds, less often the longer it takes; throws with the last answer when it never does. */
export async function eventually<T>(
  what: string,
  check: () => Promise<T | undefined | false>,
  withinMs = 30_000,
): Promise<T> {
  const from = Date.now();
  let last: unknown;
  while (Date.now() < from + withinMs) {
    try {
      const answer = await check();
      if (answer) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    const pauseMs = Math.min(250, 100 + (Date.now() - from) / 10);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  throw new Error(`not within ${withinMs} ms: ${what}`, { cause: last });
}

/** Path of kubectl. Throws where there is none. */
export function kubectlProgram(): string {
  const found = findKubectl();
  if (!found) throw new Error('no kubectl on this machine');
  return found;
}

function firstLine(child: ChildProcess, ended: Promise<number | null>, log: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += String(chunk);
      const end = text.indexOf('\n');
      if (end >= 0) resolve(text.slice(0, end));
    });
    void ended.then((code) => reject(new Error(`slipway up ended with ${code} before it was ready: ${log()}`)));
  });
}
