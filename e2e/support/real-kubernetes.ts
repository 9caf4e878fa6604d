import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { toYaml } from '@slipway/safe-yaml';
import { findKubectl } from '../../tools/real-parts.js';
import { apiServerFlags, endProcess, writeSecrets } from './control-plane.js';
import { schedulerFlags } from './node-settings.js';
import { eventually, type Outcome, repository, run } from './slipway.js';

/** A build of the command beside a cluster. */
export interface Build {
  /** As the administrator. */
  slipway(...words: string[]): Promise<Outcome>;
  /** Starts `slipway WORDS` as the user of a token. It ends with the cluster, or when the test says so: SIGTERM, or SIGKILL. */
  start(token: string, ...words: string[]): { end(signal?: 'SIGKILL'): Promise<void> };
}

/** An API server of Kubernetes with etcd and a controller manager, in a network namespace of their own. */
export interface RealKubernetes extends Build, AsyncDisposable {
  /** Its address in the network namespace. */
  readonly address: string;
  /** 37 of 1.37. */
  readonly minor: number;
  /** As the administrator, unless `--as` names another user. */
  kubectl(words: readonly string[], stdin?: object): Promise<Outcome>;
  /** The command of another tree, whose folder is given. */
  build(folder: string): Build;
  /** Any other program, as the administrator. */
  run(program: string, words: readonly string[]): Promise<Outcome>;
  /** Path of a kubeconfig with this token; tokens of components are their names. */
  kubeconfig(token: string): string;
  /** Path of a script that runs a program where loopback is that of the cluster. */
  inside(program: string): string;
  /** What a page of a process on loopback says. */
  page(url: string): Promise<string>;
  /** Ends the API server and the controller manager, and starts them with these feature gates. */
  restart(gates: string): Promise<void>;
  /** Kills etcd, and starts it again with its data after so many milliseconds. */
  crashEtcd(awayMs: number): Promise<void>;
  /** Starts the scheduler, with further flags. */
  startScheduler(...flags: readonly string[]): void;
  /** What the processes have logged. */
  log(name: string): string;
}

/** The API server publishes its own address, which may be none of 127.0.0.0/8. */
const address = '10.97.0.1';
const url = `https://${address}:6443`;
/** Name of the node whose kubelet may sign in. */
export const realNodeName = 'real';
const controllerManagerPort = 10_257;
const printPage = 'fetch(process.argv[1]).then((answer) => answer.text()).then((text) => process.stdout.write(text))';

/** Starts the programs of a folder: etcd, kube-apiserver and kube-controller-manager, with these feature gates. Needs root. */
export async function realKubernetes(programs: string, gates = ''): Promise<RealKubernetes> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-real-'));
  const at = (name: string) => join(folder, name);
  const children = new Map<string, ChildProcess>();
  const spawned = (name: string, program: string, args: readonly string[]) => {
    const log = openSync(at(`${name}.log`), 'a');
    children.set(name, spawn(program, args, { stdio: ['pipe', log, log], env: { ...process.env, NO_COLOR: '1' } }));
    closeSync(log);
  };
  const holder = 'ip link set lo up && ip addr add "$0" dev lo && echo up && cat';
  spawned('network', 'unshare', ['--net', 'sh', '-c', holder, `${address}/32`]);
  const log = (name: string) => readFileSync(at(`${name}.log`), 'utf8');
  await eventually('the network is there', async () => log('network').includes('up'));
  const inside = ['-t', `${children.get('network')?.pid}`, '-n'];
  const start = (name: string, program: string, ...args: string[]) =>
    spawned(name, 'nsenter', [...inside, program, ...args]);
  const runInside = (program: string, args: readonly string[], stdin?: string) => {
    const env = { KUBECONFIG: at('admin.kubeconfig') };
    return run('nsenter', [...inside, program, ...args], { env, ...(stdin !== undefined && { stdin }) });
  };
  const kubectl = (words: readonly string[], stdin?: object) =>
    runInside(findKubectl() ?? '', words, stdin && JSON.stringify(stdin));

  writeSecrets(at, [
    'admin,admin,1,system:masters',
    'controller-manager,system:kube-controller-manager,2',
    'scheduler,system:kube-scheduler,3',
    `kubelet,system:node:${realNodeName},4,system:nodes`,
  ]);
  const kubeconfig = (token: string) => {
    writeFileSync(at(`${token.slice(-24)}.kubeconfig`), toYaml(singleUser(at('apiserver.crt'), token)));
    return at(`${token.slice(-24)}.kubeconfig`);
  };
  const restart = async (gates: string) => {
    for (const name of ['kube-apiserver', 'kube-controller-manager']) await endProcess(children.get(name));
    const served = apiServerFlags(at, address, 2379);
    start('kube-apiserver', join(programs, 'kube-apiserver'), ...served, `--feature-gates=${gates}`);
    await eventually(
      'the API server is ready',
      async () => (await kubectl(['get', '--raw', '/readyz'])).code === 0,
      180_000,
    );
    // That of the process before may not have been given back.
    await kubectl(['-n', 'kube-system', 'delete', 'lease', 'kube-controller-manager', '--ignore-not-found']);
    const credentials = kubeconfig('controller-manager');
    const flags = controllerManagerFlags(at, credentials);
    start('kube-controller-manager', join(programs, 'kube-controller-manager'), ...flags, `--feature-gates=${gates}`);
  };
  const etcdFlags = ['--data-dir', at('etcd'), '--unsafe-no-fsync', '--log-level', 'warn'];
  const startEtcd = () => start('etcd', join(programs, 'etcd'), ...etcdFlags);
  startEtcd();
  writeFileSync(at('admin.kubeconfig'), toYaml(singleUser(at('apiserver.crt'), 'admin')));
  const dispose = async () => {
    for (const child of [...children.values()].reverse()) await endProcess(child);
    rmSync(folder, { recursive: true, force: true });
  };
  await restart(gates).catch(async (error: unknown) => {
    await dispose();
    throw error;
  });
  const build = (root: string): Build => {
    const program = join(root, 'packages/cli/bin/slipway.js');
    return {
      slipway: (...words) => runInside(process.execPath, [program, ...words]),
      start(token, ...words) {
        const name = words.includes('--identity') ? (words[words.indexOf('--identity') + 1] ?? '') : nameOf(words);
        start(name, process.execPath, program, ...words, '--kubeconfig', kubeconfig(token));
        const child = children.get(name);
        return { end: (signal) => endProcess(child, signal) };
      },
    };
  };
  const { serverVersion } = JSON.parse((await kubectl(['version', '-o', 'json'])).stdout);
  return {
    address,
    minor: Number(serverVersion.minor),
    kubectl,
    ...build(repository),
    build,
    run: (program, words) => runInside(program, words),
    restart,
    async crashEtcd(awayMs) {
      await endProcess(children.get('etcd'), 'SIGKILL');
      await setTimeout(awayMs);
      startEtcd();
    },
    kubeconfig,
    inside(program) {
      const script = at(`inside-${basename(program)}`);
      writeFileSync(script, `#!/bin/sh\nexec nsenter ${inside.join(' ')} ${program} "$@"\n`, { mode: 0o700 });
      return script;
    },
    page: async (page) => (await runInside(process.execPath, ['-e', printPage, page])).stdout,
    startScheduler(...flags) {
      const all = [...schedulerFlags(at, kubeconfig('scheduler')), ...flags];
      start('kube-scheduler', join(programs, 'kube-scheduler'), ...all);
    },
    log,
    [Symbol.asyncDispose]: dispose,
  };
}

/** Of `run feature-server` and `console`. */
function nameOf([noun = '', verb = '']: readonly string[]): string {
  return noun === 'run' ? verb : noun;
}

function controllerManagerFlags(at: (name: string) => string, credentials: string): readonly string[] {
  return [
    `--kubeconfig=${credentials}`,
    `--authentication-kubeconfig=${credentials}`,
    `--authorization-kubeconfig=${credentials}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${controllerManagerPort}`,
    `--cert-dir=${at('controller-manager')}`,
    `--service-account-private-key-file=${at('accounts.key')}`,
    `--root-ca-file=${at('apiserver.crt')}`,
    '--use-service-account-credentials',
    // No other process takes the lease, and a late renewal, as on a busy machine, would end this one.
    '--leader-elect-lease-duration=120s',
    '--leader-elect-renew-deadline=110s',
    '--leader-elect-retry-period=1s',
  ];
}

function singleUser(authority: string, token: string) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'it',
    clusters: [{ name: 'it', cluster: { server: url, 'certificate-authority': authority } }],
    users: [{ name: 'it', user: { token } }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
  };
}
