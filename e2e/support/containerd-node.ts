import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AdminClient, adminClient } from '@slipway/image-pulls';
import { type CriClient, criClient, eventually } from '@slipway/image-pulls/testing';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { hasPart, needs } from '../../tools/real-parts.js';
import { type Containerd, startContainerd } from './containerd.js';
import { ended, type Registry, startRegistry } from './registry.js';
import { repository } from './slipway.js';

const entry = 'packages/cli/dist/commands/pulls/serve-entry.js';

/** `slipway pulls serve` in a process of its own. */
export interface PullsProcess {
  readonly socket: string;
  readonly admin: AdminClient;
  readonly pid: number;
  /** What it has logged so far, one object for each line. */
  log(): readonly Record<string, unknown>[];
  /** A client as the kubelet is one; closed with the node. */
  client(): CriClient;
  /** Reads its configuration again. */
  reload(): void;
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
  /** Resolves with its exit code when it has ended by itself or by `end`. */
  readonly ended: Promise<number | null>;
}

/** A node: real containerd, a real registry it pulls from, and as many limiters before it as a test likes. */
export interface PullsNode extends AsyncDisposable {
  readonly folder: string;
  readonly containerd: Containerd;
  readonly registry: Registry;
  /** One more registry, for a test that needs a slow one beside the other. */
  anotherRegistry(): Promise<Registry>;
  /** A client of containerd itself. */
  readonly direct: CriClient;
  serve(...flags: string[]): Promise<PullsProcess>;
}

/** Starts a node for the tests of a `describe`, which are skipped without containerd. Each finds a registry that is fast. */
export function sharedNode(): () => PullsNode {
  let node: PullsNode;
  beforeAll(async () => {
    if (hasPart('containerd')) node = await startNode();
  });
  afterAll(async () => {
    await node?.[Symbol.asyncDispose]();
  });
  beforeEach((context) => {
    needs(context, 'containerd');
    node.registry.hold(false);
    node.registry.rate(undefined);
    node.registry.forget();
  });
  return () => node;
}

async function startNode(): Promise<PullsNode> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-pulls-'));
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const [containerd, registry] = await Promise.all([startContainerd(folder), startRegistry(folder)]);
  closing.push(
    () => containerd.stop(),
    () => registry.stop(),
  );
  const clientOf = (socket: string) => {
    const client = criClient(socket);
    closing.push(() => client.close());
    return client;
  };
  let served = 0;
  let registries = 1;
  return {
    folder,
    containerd,
    registry,
    async anotherRegistry() {
      registries += 1;
      const its = join(folder, `registry-${registries}`);
      mkdirSync(its);
      const another = await startRegistry(its);
      closing.push(() => another.stop());
      return another;
    },
    direct: clientOf(containerd.socket),
    async serve(...flags) {
      served += 1;
      const listen = flags.indexOf('--listen');
      const socket = listen < 0 ? join(folder, `image-${served}.sock`) : (flags[listen + 1] ?? '');
      const running = await servePulls(['--runtime', `unix://${containerd.socket}`, '--listen', socket, ...flags]);
      closing.push(() => running.end('SIGKILL'));
      const admin = adminClient(`${socket}.admin`);
      await eventually('the runtime is up', async () => (await admin.state()).runtimeUp);
      return { ...running, socket, admin, client: () => clientOf(socket) };
    },
    async [Symbol.asyncDispose]() {
      for (const close of closing.reverse()) await close();
    },
  };
}

/** Starts `slipway pulls serve` of a tree, and resolves when it listens. */
export async function servePulls(
  flags: readonly string[],
  tree = repository,
): Promise<Omit<PullsProcess, 'socket' | 'admin' | 'client'>> {
  const module = JSON.stringify(join(tree, entry));
  const program = `import { servePulls } from ${module}; process.exit(await servePulls(process.argv.slice(1)));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, '--', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += String(chunk);
  });
  await ready(child, () => log);
  const exited = ended(child).then(() => child.exitCode);
  return {
    pid: child.pid ?? 0,
    log: () =>
      log
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    reload: () => void child.kill('SIGHUP'),
    async end(signal) {
      child.kill(signal);
      return await exited;
    },
    ended: exited,
  };
}

function ready(child: ChildProcess, log: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', () => resolve());
    child.once('exit', (code) => reject(new Error(`slipway pulls serve ended with ${code}: ${log()}`)));
  });
}
