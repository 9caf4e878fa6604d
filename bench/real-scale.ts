/**
 * What Slipway asks of a real API server at rest: 5,000 nodes, 10,000 processes that renew their reports, and 1,000 features. Needs
 * `SLIPWAY_REAL_KUBERNETES`, a folder with kube-apiserver and etcd, such as one that `npm run test:real` builds.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  apiVersion,
  Feature,
  FeatureDefinition,
  FeatureUse,
  FeatureVector,
  kubernetesNamespace,
} from '@slipway/features';
import { type Kube, mapConcurrently, type ResourceRef } from '@slipway/kube';
import { cpuMicros, end, residentMegabytes } from './support/cluster.js';
import { type RealControlPlane, realControlPlane } from './support/real-control-plane.js';
import { type Measured, report } from './support/report.js';
import { reportProcesses } from './support/reported-processes.js';
import { Traffic } from './support/traffic.js';

const nodes = Number(process.env.BENCH_NODES ?? 5_000);
const declared = Number(process.env.BENCH_FEATURES ?? 800);
const perNamespace = 100;
const restMs = Number(process.env.BENCH_SECONDS ?? 120) * 1_000;
/** As components renew by default. */
const renewalMs = 300_000;
const atOnce = 64;

const slipway = fileURLToPath(new URL('../../packages/cli/bin/slipway.js', import.meta.url));
const programs = process.env.SLIPWAY_REAL_KUBERNETES ?? '';
if (!['kube-apiserver', 'etcd'].every((name) => existsSync(join(programs, name)))) {
  process.stderr.write('real-scale: skipped, SLIPWAY_REAL_KUBERNETES names no folder with kube-apiserver and etcd\n');
  process.exit(0);
}

const Namespace: ResourceRef = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
const Node: ResourceRef = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false };

/** A process of ours that is watched. */
interface Watched {
  readonly name: string;
  readonly userAgent: string;
  readonly child: ChildProcess;
}

const plane = await realControlPlane(programs, { audit: true });
const watched: Watched[] = [];
/** Renewals so far: processes renew in turn. */
let renewed = 0;
try {
  const { kube } = plane;
  install(plane);
  await untilServed(kube);
  await createNodes(kube);
  await declareFeatures(kube);
  await reportProcesses(kube, nodes);
  const startedAt = performance.now();
  watched.push(await run(plane, 'feature-server', 'slipway-feature-server'));
  watched.push(await run(plane, 'balloon-controller', 'slipway-balloons'));
  const features = await untilCounted(kube);
  const settledMs = performance.now() - startedAt;
  const rows = await atRest(plane);
  report('real-scale', [
    {
      what: `from the start of a feature server until ${features} features count ${nodes * 2} processes`,
      unit: 's',
      better: 'less',
      value: settledMs / 1_000,
    },
    ...rows,
  ]);
} finally {
  for (const { child } of watched) await end(child);
  await plane.stop();
}

function install({ kubeconfig }: RealControlPlane): void {
  const { status } = spawnSync(slipway, ['install', '--no-processes', '--kubeconfig', kubeconfig], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('slipway install did not succeed');
}

/** An API server that stores a definition serves its kind a moment later. */
async function untilServed(kube: Kube): Promise<void> {
  const kinds = [FeatureDefinition, FeatureUse, FeatureVector, Feature];
  const isServed = (kind: ResourceRef) => kube.resource(kind).list({ limit: 1 });
  for (const kind of kinds)
    while (!(await isServed(kind).catch(() => undefined))) await new Promise((resolve) => setTimeout(resolve, 100));
  // It takes writes a moment after that.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
}

async function run(plane: RealControlPlane, process: string, account: string): Promise<Watched> {
  const path = `/api/v1/namespaces/slipway-system/serviceaccounts/${account}/token`;
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { body: answer } = await plane.kube.transport.request({ method: 'POST', path, body });
  const { token } = (answer as { status: { token: string } }).status;
  const words = ['run', process, '--kubeconfig', plane.withToken(process, token), '--listen', '127.0.0.1:0'];
  return { name: process, userAgent: `slipway-${process}`, child: spawn(slipway, words, { stdio: 'ignore' }) };
}

async function createNodes(kube: Kube): Promise<void> {
  const names = Array.from({ length: nodes }, (_, at) => `worker-${at}`);
  await mapConcurrently(names, atOnce, async (name) => {
    const labels = { 'kubernetes.io/hostname': name };
    await kube.resource(Node).create({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels } });
  });
}

async function declareFeatures(kube: Kube): Promise<void> {
  const at = Array.from({ length: declared }, (_, index) => index);
  const namespaceOf = (index: number) => `acme-${Math.floor(index / perNamespace)}`;
  for (const name of new Set(at.map(namespaceOf)))
    await kube.resource(Namespace).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await mapConcurrently(at, atOnce, async (index) => {
    const gate = `Acme${index}`;
    const metadata = { name: gate.toLowerCase(), namespace: namespaceOf(index) };
    const spec = { gate, components: [{ name: 'acme-operator', roster: 'Self' as const }] };
    await kube.resource(FeatureDefinition).create({ apiVersion, kind: 'FeatureDefinition', metadata, spec });
  });
}

/** Resolves with the number of features once all that are reported count all processes, and all that are declared have a state. */
async function untilCounted(kube: Kube): Promise<number> {
  const giveUpAt = performance.now() + 300_000;
  while (performance.now() < giveUpAt) {
    const { items } = await kube.resource(Feature).list({});
    const own = items.filter(({ metadata }) => metadata.namespace === kubernetesNamespace);
    const counted = own.filter(({ status }) => (status?.uses?.reporting ?? 0) >= nodes).length;
    const stated = items.length - own.length;
    if (counted >= 150 && stated >= declared && items.every(({ status }) => status?.state !== undefined))
      return items.length;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error('the server has not counted all processes within five minutes');
}

/** Has all processes renew their reports meanwhile, one after the other, and measures what everything costs. */
async function atRest(plane: RealControlPlane): Promise<readonly Measured[]> {
  // What followed from the start has been written.
  await renewFor(plane.kube, 30_000);
  const traffic = new Traffic(plane.port);
  traffic.look();
  const bytesBefore = new Map(watched.map(({ child }) => [child.pid, traffic.of(child.pid ?? 0)]));
  const before = { requests: plane.audited().length, cpu: cpuOf(plane) };
  const looking = setInterval(() => traffic.look(), 1_000);
  await renewFor(plane.kube, restMs);
  clearInterval(looking);
  traffic.look();
  const requests = plane.audited().slice(before.requests);
  const cpu = cpuOf(plane);
  const perSecond = (value: number) => value / (restMs / 1_000);
  const ours = watched.flatMap(({ name, userAgent, child }): readonly Measured[] => {
    const pid = child.pid ?? 0;
    const asked = requests.filter((request) => request.userAgent.startsWith(userAgent));
    process.stdout.write(`${name} asked in ${restMs / 1_000} s: ${countsOf(asked.map(({ what }) => what))}\n`);
    return [
      { what: `${name}: requests/s`, unit: '1/s', better: 'less', value: perSecond(asked.length) },
      {
        what: `${name}: to and from the API server`,
        unit: 'kB/s',
        better: 'less',
        value: perSecond(traffic.of(pid) - (bytesBefore.get(pid) ?? 0)) / 1_000,
      },
      { what: `${name}: resident memory`, unit: 'MB', better: 'less', value: residentMegabytes(pid) },
      {
        what: `${name}: of one processor`,
        unit: '%',
        better: 'less',
        value: perSecond((cpu.get(pid) ?? 0) - (before.cpu.get(pid) ?? 0)) / 1e4,
      },
    ];
  });
  const renewals = requests.filter(({ what }) => what === 'patch featureuses').length;
  const apiServer = plane.pids['kube-apiserver'];
  return [
    { what: `renewals of ${nodes * 2} processes`, unit: '1/s', better: 'less', value: perSecond(renewals) },
    ...ours,
    {
      what: 'kube-apiserver, with those renewals: of one processor',
      unit: '%',
      better: 'less',
      value: perSecond((cpu.get(apiServer) ?? 0) - (before.cpu.get(apiServer) ?? 0)) / 1e4,
    },
    { what: 'kube-apiserver: resident memory', unit: 'MB', better: 'less', value: residentMegabytes(apiServer) },
    { what: 'etcd: resident memory', unit: 'MB', better: 'less', value: residentMegabytes(plane.pids.etcd) },
  ];
}

async function renewFor(kube: Kube, forMs: number): Promise<void> {
  const from = performance.now();
  const everyMs = renewalMs / (nodes * 2);
  const writing = new Set<Promise<unknown>>();
  for (let at = 0; performance.now() - from < forMs; at += 1) {
    const component = renewed % 2 === 0 ? 'kubelet' : 'kube-proxy';
    const name = `${component}.worker-${Math.floor(renewed / 2) % nodes}`;
    renewed += 1;
    const spec = { renewTime: new Date().toISOString(), leaseDurationSeconds: (renewalMs * 3) / 1_000 };
    const write = kube.resource(FeatureUse).merge({ name, namespace: kubernetesNamespace }, { spec });
    writing.add(write);
    void write.finally(() => writing.delete(write)).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, from + (at + 1) * everyMs - performance.now())));
  }
  await Promise.all(writing);
}

/** Processor time in microseconds, by process. */
function cpuOf({ pids }: RealControlPlane): ReadonlyMap<number, number> {
  const all = [...Object.values(pids), ...watched.map(({ child }) => child.pid ?? 0)];
  return new Map(all.map((pid) => [pid, cpuMicros(pid)]));
}

/** `80 patch featureuses, 2 get leases`, the most frequent first. */
function countsOf(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}
