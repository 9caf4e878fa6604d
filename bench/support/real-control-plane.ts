import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Kube } from '@slipway/kube';
import { end } from './cluster.js';
import { freePort } from './free-port.js';

/** A kube-apiserver over an etcd that writes to disk, on loopback, and what it was asked. */
export interface RealControlPlane {
  /** As the administrator, with no limit on requests. */
  readonly kube: Kube;
  readonly kubeconfig: string;
  /** TCP port of the API server. */
  readonly port: number;
  readonly pids: { readonly 'kube-apiserver': number; readonly etcd: number };
  /** Path of a kubeconfig with this token. */
  withToken(name: string, token: string): string;
  /** Starts a program that runs for as long as the control plane, and returns its process ID. */
  also(program: string, flags: readonly string[]): number;
  /** Requests that were answered so far, by user agent, verb and resource; none without an audit log. */
  audited(): readonly AuditedRequest[];
  stop(): Promise<void>;
}

export interface AuditedRequest {
  readonly userAgent: string;
  /** `patch featureuses` */
  readonly what: string;
}

const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [{ level: 'Metadata' }],
};

/** Starts the `etcd` and `kube-apiserver` of a folder, which keeps an audit log if `audit` says so. */
export async function realControlPlane(programs: string, { audit }: { audit: boolean }): Promise<RealControlPlane> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-real-'));
  const at = (name: string) => join(folder, name);
  const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(at('accounts.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  writeFileSync(at('tokens.csv'), 'admin,admin,1,system:masters\n', { mode: 0o600 });
  writeFileSync(at('audit.yaml'), JSON.stringify(auditPolicy));
  const start = (program: string, flags: readonly string[]): ChildProcess => {
    const log = openSync(at(`${basename(program)}.log`), 'a');
    const child = spawn(program, flags, { stdio: ['ignore', log, log] });
    closeSync(log);
    return child;
  };
  const etcd = start(join(programs, 'etcd'), etcdFlags(folder, client, peer));
  const server = start(join(programs, 'kube-apiserver'), [
    `--etcd-servers=http://127.0.0.1:${client}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    // Kubernetes rejects endpoints on loopback.
    '--endpoint-reconciler-type=none',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--authorization-mode=RBAC',
    `--token-auth-file=${at('tokens.csv')}`,
    `--cert-dir=${folder}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${at('accounts.key')}`,
    `--service-account-signing-key-file=${at('accounts.key')}`,
    ...(audit ? [`--audit-policy-file=${at('audit.yaml')}`, `--audit-log-path=${at('audit.log')}`] : []),
  ]);
  const others: ChildProcess[] = [];
  const withToken = (name: string, token: string) => {
    writeFileSync(at(`${name}.kubeconfig`), JSON.stringify(kubeconfigOf(port, token)), { mode: 0o600 });
    return at(`${name}.kubeconfig`);
  };
  const stop = async () => {
    await Promise.all(others.map(end));
    await end(server);
    await end(etcd);
    rmSync(folder, { recursive: true, force: true });
  };
  const kubeconfig = withToken('admin', 'admin');
  process.env.KUBECONFIG = kubeconfig;
  try {
    const kube = await Kube.connect({ qps: 1e6, burst: 1e6 });
    await untilReady(kube);
    return {
      kube,
      kubeconfig,
      port,
      pids: { 'kube-apiserver': server.pid ?? 0, etcd: etcd.pid ?? 0 },
      withToken,
      also(program, flags) {
        const child = start(program, flags);
        others.push(child);
        return child.pid ?? 0;
      },
      audited: () => (audit ? readAudit(at('audit.log')) : []),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function etcdFlags(folder: string, client: number, peer: number): readonly string[] {
  const urlOf = (port: number) => `http://127.0.0.1:${port}`;
  return [
    ...['--data-dir', join(folder, 'etcd'), '--log-level', 'warn', '--quota-backend-bytes', `${2 ** 32}`],
    ...['--listen-client-urls', urlOf(client), '--advertise-client-urls', urlOf(client)],
    ...['--listen-peer-urls', urlOf(peer), '--initial-advertise-peer-urls', urlOf(peer)],
    ...['--initial-cluster', `default=${urlOf(peer)}`],
  ];
}

function kubeconfigOf(port: number, token: string): object {
  const cluster = { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'it',
    clusters: [{ name: 'it', cluster }],
    users: [{ name: 'it', user: { token } }],
    contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
  };
}

async function untilReady({ transport }: Kube): Promise<void> {
  const giveUpAt = performance.now() + 120_000;
  while (performance.now() < giveUpAt) {
    const answer = await transport.request({ method: 'GET', path: '/readyz' }).catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error('the API server is not ready within two minutes');
}

function readAudit(path: string): readonly AuditedRequest[] {
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const { userAgent = '', verb, objectRef } = JSON.parse(line);
    const subresource = objectRef?.subresource === undefined ? '' : `/${objectRef.subresource}`;
    return { userAgent, what: `${verb} ${objectRef?.resource ?? 'other'}${subresource}` };
  });
}
