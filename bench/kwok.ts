/**
 * 1,000 nodes and 10,000 pods without machines: `slipway up` beside kwok, which plays kubelets for a control plane of Kubernetes.
 * Both write to disk, and no program on either side limits its own requests.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kube, type KubeObject } from '@slipway/kube';
import { cpuMicros, residentMegabytes, startCluster } from './support/cluster.js';
import { realControlPlane } from './support/real-control-plane.js';
import { report } from './support/report.js';

const nodeCount = Number(process.env.BENCH_NODES ?? 1_000);
const deploymentCount = 10;
const replicas = Number(process.env.BENCH_PODS ?? 10_000) / deploymentCount;
const restMs = 20_000;
/** After this a side counts as stuck. */
const limitMs = 900_000;
const unlimited = { qps: 1e6, burst: 1e6 };

const nodes = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false } as const;
const deployments = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
} as const;

interface Costs {
  readonly nodesMs: number;
  readonly podsMs: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
  /** Share of one processor while nothing happens, in percent. */
  readonly restPercent: number;
}

const { SLIPWAY_REAL_KUBERNETES: programs, SLIPWAY_KWOK: kwok } = process.env;
if (!programs || !kwok) {
  process.stderr.write('kwok: run it as `npm run bench -- kwok`, which builds what it is measured beside\n');
  process.exit(3);
}

const ours = await ofDevcluster();
const real = await ofKwok(programs, kwok);
report('kwok', [
  row(`from nothing to ${nodeCount} nodes Ready`, 's', ({ nodesMs }) => nodesMs / 1_000),
  row(
    `${deploymentCount * replicas} pods of ${deploymentCount} Deployments Ready`,
    's',
    ({ podsMs }) => podsMs / 1_000,
  ),
  row('CPU time of all processes until then', 's', ({ cpuSeconds }) => cpuSeconds),
  row('resident memory of all processes, at rest', 'MB', ({ megabytes }) => megabytes),
  row('at rest, of one processor', '%', ({ restPercent }) => restPercent),
]);

async function ofDevcluster(): Promise<Costs> {
  const startedAt = performance.now();
  const cluster = await startCluster('--nodes', String(nodeCount), '--node-cpu', '64', '--node-memory', '256Gi');
  try {
    const kube = await Kube.connect({ kubeconfig: cluster.kubeconfig, ...unlimited });
    return await costsOf(kube, startedAt, [cluster.pid]);
  } finally {
    await cluster.stop();
  }
}

async function ofKwok(programs: string, kwok: string): Promise<Costs> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-kwok-'));
  const startedAt = performance.now();
  const plane = await realControlPlane(programs, { audit: false });
  try {
    const clientConnection = { kubeconfig: plane.kubeconfig, ...unlimited };
    const scheduling = join(folder, 'scheduler.json');
    writeFileSync(
      scheduling,
      JSON.stringify({
        apiVersion: 'kubescheduler.config.k8s.io/v1',
        kind: 'KubeSchedulerConfiguration',
        leaderElection: { leaderElect: false },
        clientConnection,
      }),
    );
    const withPlane = `--kubeconfig=${plane.kubeconfig}`;
    const limits = ['--kube-api-qps=1000000', '--kube-api-burst=1000000'];
    const pids = [
      ...Object.values(plane.pids),
      plane.also(join(programs, 'kube-controller-manager'), [
        withPlane,
        '--leader-elect=false',
        '--secure-port=0',
        ...limits,
      ]),
      plane.also(join(programs, 'kube-scheduler'), [`--config=${scheduling}`, '--secure-port=0']),
      plane.also(join(kwok, 'kwok'), [withPlane, '--manage-all-nodes', `--config=${join(kwok, 'stages.yaml')}`]),
    ];
    const client = plane.kube.resource(nodes);
    for (let at = 1; at <= nodeCount; at += 1) await client.create(fakeNode(at));
    return await costsOf(plane.kube, startedAt, pids);
  } finally {
    await plane.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function fakeNode(at: number): KubeObject {
  const hostname = { 'kubernetes.io/hostname': `n${at}` };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: `n${at}`, labels: hostname } };
}

/** Waits for the nodes, makes the pods, and says what `pids` needed for both. */
async function costsOf(kube: Kube, startedAt: number, pids: readonly number[]): Promise<Costs> {
  await until(async () => (await kube.resource(nodes).list()).items.filter(isReady).length === nodeCount);
  const nodesMs = performance.now() - startedAt;
  const client = kube.resource(deployments);
  const podsFrom = performance.now();
  for (let at = 1; at <= deploymentCount; at += 1) await client.create(deployment(`bench-${at}`));
  await until(async () => {
    const { items } = await client.list({ namespace: 'default' });
    return items.every(({ status }) => status?.readyReplicas === replicas);
  });
  const podsMs = performance.now() - podsFrom;
  const cpuSeconds = cpuOf(pids);
  await new Promise((resolve) => setTimeout(resolve, restMs));
  const restedFrom = cpuOf(pids);
  await new Promise((resolve) => setTimeout(resolve, restMs));
  const restPercent = (100_000 * (cpuOf(pids) - restedFrom)) / restMs;
  return { nodesMs, podsMs, cpuSeconds, restPercent, megabytes: sum(pids.map(residentMegabytes)) };
}

function isReady({ status }: KubeObject): boolean {
  const conditions: readonly { type: string; status: string }[] = status?.conditions ?? [];
  return conditions.some((it) => it.type === 'Ready' && it.status === 'True');
}

function deployment(name: string): KubeObject {
  const labels = { app: name };
  const container = { name: 'main', image: 'registry.example/app:1' };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace: 'default' }, spec };
}

function cpuOf(pids: readonly number[]): number {
  return sum(pids.map(cpuMicros)) / 1e6;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + limitMs;
  while (!(await isDone())) {
    if (performance.now() > giveUpAt) throw new Error(`not done within ${limitMs / 1_000} s`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function row(what: string, unit: string, of: (costs: Costs) => number) {
  const anchor = { name: 'kwok with Kubernetes', value: of(real) };
  return { what, unit, better: 'less' as const, value: of(ours), anchor };
}
