import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type AdminClient, adminClient } from '@slipway/image-pulls';
import { toYaml } from '@slipway/safe-yaml';
import { startContainerd } from './containerd.js';
import { servePulls } from './containerd-node.js';
import { endProcess } from './control-plane.js';
import { hostPrograms } from './host-programs.js';
import { makeCgroup } from './node-cgroup.js';
import { nodeNamespaces } from './node-namespaces.js';
import { criSettings, kubeletConfiguration, schedulerFlags, writeNetwork } from './node-settings.js';
import { type RealKubernetes, realNodeName } from './real-kubernetes.js';
import { type Registry, startRegistry } from './registry.js';
import { eventually, run } from './slipway.js';

/** Address of the service `kubernetes`: the first of the range. */
const serviceAddress = '10.96.0.1';

/** A scheduler, and a kubelet with containerd behind `slipway pulls serve`. */
export interface RealNode extends AsyncDisposable {
  readonly name: string;
  readonly registry: Registry;
  /** The limiter that listens now. */
  readonly pulls: AdminClient;
  readonly pullsSocket: string;
  /** Where limiters listen for the kubelet. */
  readonly imageSocket: string;
  /** Puts an image into the registry whose program runs until it is stopped. */
  push(name: string): Promise<string>;
  /** Brings an image to the runtime, from an OCI image layout in one tar. */
  importImage(tar: Buffer): Promise<void>;
  /** Starts a limiter, of another tree or of this one, that takes over from the present one, which ends when its pulls have. */
  takeOver(tree?: string): Promise<{ readonly ended: Promise<number | null> }>;
  startKubelet(): void;
  /** SIGKILL. */
  killKubelet(): Promise<void>;
}

/** Starts a node of a cluster that is made of the programs in a folder. Needs root. */
export async function realNode(real: RealKubernetes, programs: string): Promise<RealNode> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-node-'));
  const at = (name: string) => join(folder, name);
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = () => closeAll(closing);
  try {
    const cgroup = makeCgroup(basename(folder));
    // The processes of a namespace end after the one that held it.
    closing.push(() => eventually('no process is left', async () => cgroup.remove()));
    const namespaces = await nodeNamespaces(real, folder);
    closing.push(() => namespaces.end());

    const registry = await startRegistry(folder);
    closing.push(() => registry.stop());
    const [, port = ''] = registry.host.split(':');
    const relay = spawn(process.execPath, relayWords(at('registry.sock'), registry.host), { stdio: 'ignore' });
    closing.push(() => endProcess(relay));
    namespaces.start('relay', process.execPath, ...relayWords(`127.0.0.1:${port}`, at('registry.sock')));
    // In place of kube-proxy, for the one service that pods of ours use.
    await real.run('ip', ['addr', 'add', `${serviceAddress}/32`, 'dev', 'lo']);
    namespaces.start('service', process.execPath, ...relayWords(`${serviceAddress}:443`, `${real.address}:6443`));
    const waits = ['/bin/sh', '-c', 'trap exit TERM; sleep infinity & wait'];
    const program = hostPrograms(['/bin/sh', '/bin/sleep'], waits);
    const pause = await registry.push('pause', { tag: '3.10', program });
    writeNetwork(at);
    const containerd = await startContainerd(folder, {
      enter: namespaces.enter,
      cri: criSettings(at, pause),
      program: join(programs, 'containerd'),
    });

    const socket = at('image.sock');
    const serve = async (more: readonly string[] = [], tree?: string) => {
      const how = ['--runtime', `unix://${containerd.socket}`, '--listen', socket, '--limit', '1'];
      const started = await servePulls([...how, ...more], tree);
      closing.push(() => started.end('SIGKILL'));
      return started;
    };
    let limiter = await serve();

    // Nothing binds this role by default: clusters use the authorizer for nodes.
    const binding = ['clusterrolebinding', 'kubelets', '--clusterrole=system:node', '--group=system:nodes'];
    await real.kubectl(['create', ...binding]);
    namespaces.start(
      'scheduler',
      join(programs, 'kube-scheduler'),
      ...schedulerFlags(at, real.kubeconfig('scheduler')),
    );
    const sockets = { runtime: containerd.socket, images: socket };
    writeFileSync(at('kubelet.yaml'), toYaml(kubeletConfiguration(at, sockets, cgroup.path)));
    const kubeletFlags = [
      `--config=${at('kubelet.yaml')}`,
      `--kubeconfig=${real.kubeconfig('kubelet')}`,
      `--root-dir=${at('kubelet')}`,
      `--cert-dir=${at('kubelet-certificates')}`,
      `--hostname-override=${realNodeName}`,
      `--node-ip=${real.address}`,
    ];
    const startKubelet = () => namespaces.start('kubelet', join(programs, 'kubelet'), ...kubeletFlags);
    let kubelet = startKubelet();
    return {
      name: realNodeName,
      registry,
      pulls: adminClient(`${socket}.admin`),
      pullsSocket: `${socket}.admin`,
      imageSocket: socket,
      push: (name) => registry.push(name, { program }),
      async importImage(tar) {
        writeFileSync(at('image.tar'), tar);
        const words = ['-n', 'k8s.io', 'images', 'import', '--snapshotter', 'native', at('image.tar')];
        const imported = await run('ctr', ['-a', containerd.socket, ...words]);
        if (imported.code !== 0) throw new Error(imported.stderr);
      },
      async takeOver(tree) {
        const before = limiter;
        limiter = await serve(['--take-over'], tree);
        return before;
      },
      startKubelet() {
        kubelet = startKubelet();
      },
      killKubelet: () => kubelet.kill(),
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Ends a node, and the cluster that it belongs to whatever fails. */
export async function endWithNode(real: RealKubernetes | undefined, node: RealNode | undefined): Promise<void> {
  try {
    await node?.[Symbol.asyncDispose]();
  } finally {
    await real?.[Symbol.asyncDispose]();
  }
}

/** Closes the last first, and all of them whatever fails. */
async function closeAll(closing: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of [...closing].reverse())
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw new AggregateError(failures, 'the node did not end');
}

/** Passes connections on, from an address or a socket to another: sockets reach into other network namespaces. */
const relayProgram = `
const [from, to] = process.argv.slice(1).map((end) => {
  const [, host, port] = /^([^/]+):(\\d+)$/.exec(end) ?? [];
  return port ? { host, port: Number(port) } : { path: end };
});
const { connect, createServer } = require('node:net');
createServer((near) => {
  const far = connect(to);
  near.pipe(far).pipe(near);
  for (const end of [near, far]) end.on('error', () => { near.destroy(); far.destroy(); });
}).listen(from);`;

function relayWords(from: string, to: string): string[] {
  return ['-e', relayProgram, from, to];
}
