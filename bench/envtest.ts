/** What a run of envtest waits for and costs: etcd and kube-apiserver of `slipway dev assets` beside the real ones, in turns. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { end, residentMegabytes } from './support/cluster.js';
import { freePort } from './support/free-port.js';
import { quantile, report } from './support/report.js';

const rounds = 7;
const real = process.env.SLIPWAY_REAL_KUBERNETES ?? '';
const hasReal = ['kube-apiserver', 'etcd'].every((name) => existsSync(join(real, name)));
if (!hasReal) process.stderr.write('envtest: set SLIPWAY_REAL_KUBERNETES to measure kube-apiserver and etcd too\n');

const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-envtest-'));
const at = (name: string) => join(folder, name);
const ours = at('assets');
const slipway = fileURLToPath(new URL('../../packages/cli/bin/slipway.js', import.meta.url));
writeKeys();
if (spawnSync(slipway, ['dev', 'assets', ours]).status !== 0) throw new Error('no assets');

interface Costs {
  readonly readyMs: number[];
  readonly stoppedMs: number[];
  readonly megabytes: number[];
}

const costs: Record<'ours' | 'real', Costs> = { ours: noCosts(), real: noCosts() };
try {
  for (let round = 0; round < rounds; round += 1) {
    await run(ours, costs.ours);
    if (hasReal) await run(real, costs.real);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

report('envtest', [
  beside('etcd and kube-apiserver until /healthz answers, median', 'ms', ({ readyMs }) => readyMs),
  beside('memory of both processes after 5 s, median', 'MB', ({ megabytes }) => megabytes),
  beside('until both have ended, median', 'ms', ({ stoppedMs }) => stoppedMs),
]);

/** Starts both programs one after the other, as envtest does with its flags, and stops them. */
async function run(programs: string, into: Costs): Promise<void> {
  const [client, peer, secure] = [await freePort(), await freePort(), await freePort()];
  const url = (port: number) => `http://127.0.0.1:${port}`;
  const data = mkdtempSync(join(folder, 'data-'));
  const startedAt = performance.now();
  const etcd = start(programs, 'etcd', [
    `--advertise-client-urls=${url(client)}`,
    `--data-dir=${data}`,
    `--listen-client-urls=${url(client)}`,
    `--listen-peer-urls=${url(peer)}`,
    '--unsafe-no-fsync=true',
  ]);
  await until(() => statusOf(getHttp, `${url(client)}/health`));
  const server = start(programs, 'kube-apiserver', [
    '--allow-privileged=true',
    '--authorization-mode=RBAC',
    '--bind-address=127.0.0.1',
    `--cert-dir=${folder}`,
    `--client-ca-file=${at('apiserver.crt')}`,
    '--disable-admission-plugins=ServiceAccount',
    `--etcd-servers=${url(client)}`,
    `--secure-port=${secure}`,
    `--service-account-issuer=https://127.0.0.1:${secure}/`,
    `--service-account-key-file=${at('tokens.pub')}`,
    `--service-account-signing-key-file=${at('tokens.key')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
  ]);
  await until(() => statusOf(getHttps, `https://127.0.0.1:${secure}/healthz`));
  into.readyMs.push(performance.now() - startedAt);
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  into.megabytes.push(residentMegabytes(etcd.pid ?? 0) + residentMegabytes(server.pid ?? 0));
  const stoppingAt = performance.now();
  await end(server);
  await end(etcd);
  into.stoppedMs.push(performance.now() - stoppingAt);
}

function start(programs: string, name: string, flags: readonly string[]): ChildProcess {
  return spawn(join(programs, name), flags, { stdio: 'ignore' });
}

async function until(answered: () => Promise<number>): Promise<void> {
  while ((await answered()) !== 200) await new Promise((resolve) => setTimeout(resolve, 10));
}

function statusOf(get: typeof getHttps, url: string): Promise<number> {
  return new Promise((resolve) => {
    get(url, { rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on('error', () => resolve(0));
  });
}

/** Neither side has to make keys first. */
function writeKeys(): void {
  mkdirSync(folder, { recursive: true });
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(at('tokens.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(at('tokens.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', at('apiserver.key'), '-out', at('apiserver.crt')];
  if (spawnSync('openssl', [...words, ...names, ...files]).status !== 0) throw new Error('openssl made no certificate');
}

function noCosts(): Costs {
  return { readyMs: [], stoppedMs: [], megabytes: [] };
}

function beside(what: string, unit: string, of: (costs: Costs) => readonly number[]) {
  const value = quantile(of(costs.ours), 0.5);
  const anchor = { name: 'kube-apiserver and etcd', value: quantile(of(costs.real), 0.5) };
  return { what, unit, value, better: 'less' as const, ...(hasReal && { anchor }) };
}
