/**
 * Whether a cluster that runs for long stays as it is: 100 nodes and 3,000 pods under rollouts, scaling, jobs, objects
 * that come and go and nodes that stop, two hours of cluster time at ten times the speed. Events expire after one of
 * them, so that from then on nothing should grow: drift is what the second half grows by. Memory is looked at after
 * everything was collected, or it would show when the collector last came by. `BENCH_MINUTES` and `BENCH_TIME_SCALE`
 * say otherwise.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Kube } from '@slipway/kube';
import { cpuMicros, startCluster } from './support/cluster.js';
import { type Measured, quantile, report } from './support/report.js';

const minutes = Number(process.env.BENCH_MINUTES ?? 12);
const timeScale = Number(process.env.BENCH_TIME_SCALE ?? 10);
const nodes = Number(process.env.BENCH_NODES ?? 100);
const pods = Number(process.env.BENCH_PODS ?? 3_000);
const deployments = 30;
/** Real time between two changes, and between two looks: each of these stops the process for as long as it collects. */
const changeMs = 6_000;
const lookMs = 30_000;
/** Cluster time after which as many events expire as are written, with some more for what follows from that. */
const settledMs = 65 * 60_000;

const program = fileURLToPath(new URL('../../packages/cli/bin/slipway.js', import.meta.url));
const run = promisify(execFile);
const kind = (group: string, version: string, name: string, plural: string) =>
  ({ group, version, kind: name, plural, namespaced: true }) as const;
const deployment = kind('apps', 'v1', 'Deployment', 'deployments');
const job = kind('batch', 'v1', 'Job', 'jobs');
const configMap = kind('', 'v1', 'ConfigMap', 'configmaps');

/** What the process has at one moment, right after garbage collection. */
interface Look {
  readonly atMs: number;
  /** Resident memory in MB (10^6 bytes) without the data file, which is mapped and counted where it lies. */
  readonly memory: number;
  readonly storeMegabytes: number;
  /** In MB. */
  readonly heap: number;
  /** The longest turn of the event loop since the look before, in milliseconds; not that of the look itself. */
  readonly longestMs: number;
  /** CPU time of the longest turn, in milliseconds: on a machine that others use, turns take as long as those let them. */
  readonly longestCpuMs: number;
  readonly objects: ReadonlyMap<string, number>;
}

const flags = ['--nodes', String(nodes), '--node-cpu', '64', '--node-memory', '256Gi'];
const cluster = await startCluster(...flags, '--time-scale', String(timeScale));
const kube = await Kube.connect({ kubeconfig: cluster.kubeconfig, qps: 1_000 });
const looks: Look[] = [];
/** The node whose kubelet stands still at the moment. */
let stopped: string | undefined;
let lastJob: { readonly name: string; readonly namespace: string } | undefined;

try {
  for (let at = 0; at < deployments; at += 1) await kube.resource(deployment).create(aDeployment(at));
  const startedAt = performance.now();
  const endsAt = startedAt + minutes * 60_000;
  const cpuBefore = cpuMicros(cluster.pid);
  await Promise.all([changeUntil(endsAt), lookUntil(endsAt)]);
  const cpuPercent = (cpuMicros(cluster.pid) - cpuBefore) / ((performance.now() - startedAt) * 10);
  report('soak', rowsOf(looks, cpuPercent));
} finally {
  await cluster.stop();
}

function rowsOf(all: readonly Look[], cpuPercent: number): Measured[] {
  const endMs = all.at(-1)?.atMs ?? 0;
  const fromMs = Math.min(Math.max(endMs / 2, settledMs / timeScale), endMs * 0.75);
  const late = all.filter(({ atMs }) => atMs >= fromMs);
  const middle = (of: (look: Look) => number) => quantile(late.map(of), 0.5);
  const total = ({ objects }: Look) => [...objects.values()].reduce((sum, count) => sum + count, 0);
  const row = (what: string, unit: string, value: number, limit?: number): Measured => {
    return {
      what,
      unit,
      better: 'less',
      value,
      ...(limit !== undefined && { anchor: { name: 'target', value: limit } }),
    };
  };
  const during = `over the last ${Math.round((endMs - fromMs) / 60_000)} min`;
  const memory = ({ memory: megabytes }: Look) => megabytes;
  const heap = ({ heap: megabytes }: Look) => megabytes;
  const store = ({ storeMegabytes: megabytes }: Look) => megabytes;
  return [
    row(`memory, drift ${during}`, '%', drift(late, memory), 5),
    row(`heap, drift ${during}`, '%', drift(late, heap), 5),
    row(`store, drift ${during}`, '%', drift(late, store), 5),
    row(`objects, drift ${during}`, '%', drift(late, total)),
    row('memory', 'MB', middle(memory)),
    row('heap', 'MB', middle(heap)),
    row('store', 'MB', middle(store)),
    row('objects', '', middle(total)),
    row('CPU, of one processor', '%', cpuPercent),
    row('longest turn of the event loop', 'ms', Math.max(...all.map(({ longestMs }) => longestMs))),
    row('CPU time of the longest turn', 'ms', Math.max(...all.map(({ longestCpuMs }) => longestCpuMs)), 250),
  ];
}

/** By how many percent it grows from first to last: along the middle one of the slopes between any two looks, so that a few odd looks say nothing. */
function drift(some: readonly Look[], of: (look: Look) => number): number {
  const slopes = some.flatMap((one, at) =>
    some.slice(at + 1).map((other) => (of(other) - of(one)) / (other.atMs - one.atMs)),
  );
  const lastedMs = (some.at(-1)?.atMs ?? 0) - (some[0]?.atMs ?? 0);
  return (quantile(slopes, 0.5) * lastedMs * 100) / quantile(some.map(of), 0.5);
}

async function lookUntil(endsAt: number): Promise<void> {
  const startedAt = performance.now();
  while (performance.now() < endsAt) {
    await pause(lookMs);
    const { maxMs: longestMs } = await cluster.stalls();
    const longestCpuMs = await cluster.turnCpuMs();
    const heap = await cluster.heapMegabytes();
    const memory = anonymousMegabytes();
    // That turn was ours.
    await cluster.stalls();
    await cluster.turnCpuMs();
    const { body } = await kube.transport.request({ method: 'GET', path: '/metrics' });
    const counts = String(body).matchAll(/^apiserver_storage_objects\{.*resource="([^"]+)".*\} (\d+)/gm);
    const objects = new Map([...counts].map(([, name = '', count]) => [name, Number(count)]));
    const look = {
      atMs: performance.now() - startedAt,
      memory,
      storeMegabytes: storeMegabytes(),
      heap,
      longestMs,
      longestCpuMs,
      objects,
    };
    looks.push(look);
    tell(look);
  }
}

function tell({ atMs, memory, heap, storeMegabytes: store, objects, longestMs, longestCpuMs }: Look): void {
  const counts = [
    'pods',
    'events.events.k8s.io',
    'replicasets.apps',
    'jobs.batch',
    'configmaps',
    'leases.coordination.k8s.io',
  ];
  const shown = counts.map((name) => `${name.split('.')[0]} ${objects.get(name) ?? 0}`).join(', ');
  process.stdout.write(
    `  ${(atMs / 60_000).toFixed(1)} min: ${memory.toFixed(0)} MB, heap ${heap.toFixed(0)} MB, store ${store.toFixed(0)} MB, longest turn ${longestMs.toFixed(0)} ms (CPU ${longestCpuMs.toFixed(0)} ms), ${shown}\n`,
  );
}

/** One change after the other: each of them is made again and again, in turn. */
async function changeUntil(endsAt: number): Promise<void> {
  const changes = [rollOut, scale, runJob, replaceConfigMaps, stopNode, rollOut, scale, replaceConfigMaps];
  for (let turn = 0; performance.now() < endsAt; turn += 1) {
    const change = changes[turn % changes.length] ?? rollOut;
    // Another writer may have been faster, or the server busy: the next turn tries again.
    await change(turn).catch((error: Error) => process.stderr.write(`  ${change.name}: ${error.message}\n`));
    await pause(changeMs);
  }
  await startNode();
}

function aDeployment(at: number) {
  const labels = { app: `app-${at}` };
  const containers = [{ name: 'main', image: 'registry.example/app:0', resources: { requests: { cpu: '10m' } } }];
  const spec = { replicas: Math.round(pods / deployments), selector: { matchLabels: labels } };
  const template = { metadata: { labels }, spec: { containers } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `app-${at}`, namespace: 'default' },
    spec: { ...spec, template },
  };
}

async function rollOut(turn: number): Promise<void> {
  const name = `app-${turn % deployments}`;
  const template = { spec: { containers: [{ name: 'main', image: `registry.example/app:${turn}` }] } };
  await kube.resource(deployment).merge({ namespace: 'default', name }, { spec: { template } });
}

async function scale(turn: number): Promise<void> {
  const replicas = Math.round(pods / deployments) + ((turn % 5) - 2) * 10;
  const ref = { namespace: 'default', name: `app-${(turn * 7) % deployments}` };
  await kube.resource(deployment).merge(ref, { spec: { replicas } });
}

/** The pods of the job before go with it. */
async function runJob(turn: number): Promise<void> {
  const template = {
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'registry.example/job:1' }] },
  };
  const metadata = { name: `job-${turn}`, namespace: 'default' };
  const spec = { completions: 20, parallelism: 20, template };
  if (lastJob) await kube.resource(job).delete(lastJob, { propagationPolicy: 'Background' });
  lastJob = metadata;
  await kube.resource(job).create({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec });
}

async function replaceConfigMaps(turn: number): Promise<void> {
  for (let at = 0; at < 50; at += 1) {
    const ref = { namespace: 'default', name: `config-${turn}-${at}` };
    await kube.resource(configMap).create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: ref,
      data: { value: String(turn).repeat(1_000) },
    });
    await kube.resource(configMap).delete(ref);
  }
}

/** Brings back the node that stopped last, and stops another: its pods are evicted if it stays away long enough. */
async function stopNode(turn: number): Promise<void> {
  await startNode();
  stopped = `n${(turn % nodes) + 1}`;
  await slipway('dev', 'node', 'stop', stopped);
}

async function startNode(): Promise<void> {
  if (stopped !== undefined) await slipway('dev', 'node', 'start', stopped);
  stopped = undefined;
}

async function slipway(...words: string[]): Promise<void> {
  await run(process.execPath, [program, ...words], { env: { ...process.env, KUBECONFIG: cluster.kubeconfig } });
}

function anonymousMegabytes(): number {
  const kilobytes = /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${cluster.pid}/status`, 'utf8'))?.[1];
  return (Number(kilobytes) * 1_024) / 1e6;
}

/** What the data folder takes of the disk. */
function storeMegabytes(): number {
  const folder = join(dirname(cluster.kubeconfig), 'data');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).blocks * 512, 0) / 1e6;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
