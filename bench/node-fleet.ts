/**
 * A cluster of 5,000 nodes, as many as Kubernetes says it can have: until it is there, until all are resized, what that
 * writes, and what it costs when nothing happens. Times are of two processors without other load; CPU time is of the
 * whole simulated cluster, with and without balloons.
 */
import { cpuMicros, residentMegabytes } from './support/cluster.js';
import { type Measured, report } from './support/report.js';
import { answeredSince, requestCounts } from './support/request-counts.js';
import { type SizedCluster, withSizedCluster } from './support/sized-cluster.js';

const nodes = Number(process.env.BENCH_NODES ?? 5_000);
const restMs = Number(process.env.BENCH_REST_MS ?? 30_000);
/** What a cluster still has to do after everything seems done. */
const settleMs = 20_000;

/** What balloon controllers write about a node; what kubelets write in answer is theirs. */
const ofResizes = ['PUT nodesizes/status', 'PATCH nodesizes/status', 'PATCH pods/resize', 'PUT nodes', 'PATCH nodes'];
const ofStatus = ['PUT nodesizes/status', 'PATCH nodesizes/status', 'PATCH balloonpolicies/status'];

const startedAt = performance.now();
report('node-fleet', await withSizedCluster(nodes, measure));

async function measure(sized: SizedCluster): Promise<Measured[]> {
  const upMs = performance.now() - startedAt;
  const without = await atRest(sized);
  const provided = await timed(sized, () => sized.provide());
  const resized = await timed(sized, () => resizeAll(sized));
  const withBalloons = await atRest(sized);
  const row = (what: string, unit: string, value: number, limit?: number, name = 'target'): Measured => {
    return { what, unit, better: 'less', value, ...(limit !== undefined && { anchor: { name, value: limit } }) };
  };
  return [
    row(`${nodes} nodes Ready`, 's', upMs / 1_000),
    row('a balloon of the right size on each', 's', provided.ms / 1_000),
    row('the same, CPU time a node', 'ms', provided.cpuMs / nodes),
    row(`${nodes} nodes resized`, 's', resized.ms / 1_000, (60 * nodes) / 5_000),
    row('the same, CPU time a node', 'ms', resized.cpuMs / nodes),
    row('API writes a resize', '', resized.writes / nodes, 3),
    row('at rest, of one processor', '%', withBalloons.cpuPercent, without.cpuPercent, 'without balloons'),
    row('balloons at rest, of one processor', '%', Math.max(0, withBalloons.cpuPercent - without.cpuPercent), 1),
    row('status writes at rest', '/s', withBalloons.statusWritesPerSecond, 1),
    row('resident memory of the cluster', 'MB', residentMegabytes(sized.cluster.pid)),
  ];
}

async function resizeAll({ resize }: SizedCluster): Promise<void> {
  const spec = { mode: 'Size', size: { cpu: '4', memory: '16Gi' }, fence: 'Never' };
  await Promise.all(Array.from({ length: nodes }, (_, at) => resize(`n${at + 1}`, spec)));
}

async function timed({ kube, cluster }: SizedCluster, work: () => Promise<void>) {
  const before = await requestCounts(kube);
  const [beganAt, cpuBefore] = [performance.now(), cpuMicros(cluster.pid)];
  await work();
  const ms = performance.now() - beganAt;
  const cpuMs = (cpuMicros(cluster.pid) - cpuBefore) / 1_000;
  return { ms, cpuMs, writes: answeredSince(before, await requestCounts(kube), ofResizes) };
}

async function atRest({ kube, cluster }: SizedCluster) {
  await pause(settleMs);
  const before = await requestCounts(kube);
  const cpuBefore = cpuMicros(cluster.pid);
  await pause(restMs);
  const cpuPercent = (cpuMicros(cluster.pid) - cpuBefore) / (restMs * 10);
  const statusWrites = answeredSince(before, await requestCounts(kube), ofStatus);
  return { cpuPercent, statusWritesPerSecond: (statusWrites * 1_000) / restMs };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
