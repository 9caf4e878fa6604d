/** What many pods cost: to make them run, to list them, to hold them, and what waits meanwhile. */
import { cpuMicros, residentMegabytes, startCluster } from './support/cluster.js';
import { type Connection, openConnection } from './support/connection.js';
import { credentialsOf } from './support/credentials.js';
import { quantile, report } from './support/report.js';

const pods = Number(process.env.BENCH_PODS ?? 10_000);
const ofDeployment = 1_000;
const inNamespace = 2_000;
const lists = 15;
const all = '/api/v1/namespaces/default/pods';
const asTable = 'application/json;as=Table;g=meta.k8s.io;v=v1';

const cluster = await startCluster('--ephemeral', '--nodes', '100', '--node-cpu', '64', '--node-memory', '256Gi');
const credentials = credentialsOf(cluster.kubeconfig);
const first = await openConnection(cluster.url, credentials);
let writers: readonly Connection[] = [first];

try {
  await first.send('GET', '/readyz');
  const deploymentMs = await runDeployment();
  // Not earlier: the server closes connections that send nothing for 10 s.
  writers = await Promise.all(Array.from({ length: 16 }, () => openConnection(cluster.url, credentials)));
  const namespaceMs = await removeNamespace();
  await runPods(pods - ofDeployment);
  const whileMade = await cluster.stalls();
  await atRest();
  await cluster.stalls();
  const json = await measureList('application/json');
  const table = await measureList(asTable);
  const whileListed = await cluster.stalls();
  // What the lists read is put away again.
  await new Promise((resolve) => setTimeout(resolve, 30_000));
  const target = (value: number) => ({ name: 'target', value });
  const better = 'less';
  const unit = 'ms';
  report('pods', [
    { what: `${ofDeployment} pods Ready on 100 nodes`, unit, better, value: deploymentMs, anchor: target(4_000) },
    { what: `a namespace of ${inNamespace} objects gone`, unit, better, value: namespaceMs, anchor: target(5_000) },
    { what: `list of ${pods} pods, server`, unit, better, value: json, anchor: target(60) },
    { what: `list of ${pods} pods as a table, server`, unit, better, value: table, anchor: target(80) },
    {
      what: `resident memory with ${pods} pods that run`,
      unit: 'MB',
      better,
      value: residentMegabytes(cluster.pid),
      anchor: target(220),
    },
    {
      what: 'stall of the event loop while pods are made, p99.9',
      unit,
      better,
      value: whileMade.p999Ms,
      anchor: target(20),
    },
    { what: 'the longest one', unit, better, value: whileMade.maxMs },
    { what: 'stall while pods are listed, p99.9', unit, better, value: whileListed.p999Ms, anchor: target(20) },
    { what: 'the longest one', unit, better, value: whileListed.maxMs },
  ]);
} finally {
  for (const connection of [first, ...writers]) connection.close();
  await cluster.stop();
}

/** From the request that asks for the pods to the status that says all are ready. */
async function runDeployment(): Promise<number> {
  const labels = { app: 'bench' };
  const template = { metadata: { labels }, spec: { containers: [aContainer()] } };
  const spec = { replicas: ofDeployment, selector: { matchLabels: labels }, template };
  const path = '/apis/apps/v1/namespaces/default/deployments';
  const startedAt = performance.now();
  await demand(201, first.post(path, text('apps/v1', 'Deployment', 'bench', { spec })));
  await until(async () => {
    await first.send('GET', `${path}/bench`);
    return JSON.parse(first.body).status?.readyReplicas === ofDeployment;
  });
  return performance.now() - startedAt;
}

async function removeNamespace(): Promise<number> {
  await demand(201, first.post('/api/v1/namespaces', text('v1', 'Namespace', 'bulk', {})));
  const data = { data: { value: 'x'.repeat(500) } };
  await inParallel(inNamespace, (writer, at) =>
    demand(201, writer.post('/api/v1/namespaces/bulk/configmaps', text('v1', 'ConfigMap', `c${at}`, data))),
  );
  const startedAt = performance.now();
  await demand(200, first.send('DELETE', '/api/v1/namespaces/bulk'));
  await until(async () => (await first.send('GET', '/api/v1/namespaces/bulk')) === 404);
  return performance.now() - startedAt;
}

async function runPods(count: number): Promise<void> {
  await cluster.stalls();
  await inParallel(count, (writer, at) =>
    demand(201, writer.post(all, text('v1', 'Pod', `p${at}`, { spec: { containers: [aContainer()] } }))),
  );
  await until(async () => {
    await first.send('GET', `${all}?fieldSelector=status.phase!=Running&limit=1`);
    return JSON.parse(first.body).items.length === 0;
  });
}

/** What follows on the pods, their events for instance, is told for a while after they run; a list is not to pay for it. */
async function atRest(): Promise<void> {
  for (let busy = true; busy; ) {
    const before = cpuMicros(cluster.pid);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    busy = cpuMicros(cluster.pid) - before > 60_000;
  }
}

/** CPU time of the server for one list, in milliseconds. */
async function measureList(accept: string): Promise<number> {
  await first.send('GET', all, accept);
  const took: number[] = [];
  for (let list = 0; list < lists; list += 1) {
    const before = cpuMicros(cluster.pid);
    await first.send('GET', all, accept);
    took.push((cpuMicros(cluster.pid) - before) / 1_000);
  }
  return quantile(took, 0.5);
}

async function inParallel(count: number, one: (writer: Connection, at: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    writers.map(async (writer) => {
      while (next < count) {
        next += 1;
        await one(writer, next);
      }
    }),
  );
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
}

async function demand(wanted: number, answered: Promise<number>): Promise<void> {
  const status = await answered;
  if (status !== wanted) throw new Error(`HTTP ${status} instead of ${wanted}`);
}

function text(apiVersion: string, kind: string, name: string, more: object): string {
  return JSON.stringify({ apiVersion, kind, metadata: { name }, ...more });
}

function aContainer() {
  const resources = { requests: { cpu: '10m', memory: '16Mi' } };
  return { name: 'main', image: 'registry.example/app:1', resources };
}
