/** What readers cost: lists of 10,000 objects, and one event for 1,000 watchers, over HTTPS. */
import { Agent, get } from 'node:https';
import { cpuMicros, startCluster } from './support/cluster.js';
import { openConnection } from './support/connection.js';
import { credentialsOf } from './support/credentials.js';
import { measureFanOut } from './support/fan-out.js';
import { quantile, report } from './support/report.js';

const objects = 10_000;
const lists = 15;
const watchers = 1_000;
const path = '/api/v1/namespaces/default/configmaps';
const value = 'x'.repeat(1_700);
const asTable = 'application/json;as=Table;g=meta.k8s.io;v=v1';

const cluster = await startCluster('--ephemeral', '--nodes', '1');
const credentials = credentialsOf(cluster.kubeconfig);
const server = { url: cluster.url, tls: credentials, pids: [cluster.pid] };
const agent = new Agent({ keepAlive: true, ...credentials });
const writers = await Promise.all(Array.from({ length: 16 }, () => openConnection(cluster.url, credentials)));
let created = 0;

try {
  const { metadata } = JSON.parse(await read(`${path}?limit=1`, 'application/json'));
  const watch = `${path}?watch=true&resourceVersion=${metadata.resourceVersion}`;
  const fanOut = await measureFanOut(server, watch, watchers, (count) => createMany(count, {}));
  await createMany(objects - created, { value });
  const json = await measureList('application/json');
  const table = await measureList(asTable);
  const target = (at: number) => ({ name: 'target', value: at });
  const unit = 'ms';
  const better = 'less';
  report('list-and-watch', [
    { what: `list of ${objects} config maps, server`, unit, better, value: json.serverMs, anchor: target(60) },
    { what: `list of ${objects} config maps, to the last byte, p50`, unit, better, value: json.wholeMs },
    { what: `the same as a table, server`, unit, better, value: table.serverMs, anchor: target(80) },
    { what: `one event to ${watchers} watchers, p99`, unit, better, value: fanOut.p99Ms, anchor: target(25) },
    {
      what: `deliveries to ${watchers} watchers`,
      unit: '/s',
      better: 'more',
      value: fanOut.perSecond,
      anchor: target(100_000),
    },
    { what: 'CPU of the server for one delivery', unit: 'us', better, value: fanOut.serverMicros },
  ]);
} finally {
  for (const writer of writers) writer.close();
  agent.destroy();
  await cluster.stop();
}

async function measureList(accept: string): Promise<{ serverMs: number; wholeMs: number }> {
  const durations: number[] = [];
  await read(path, accept);
  const before = cpuMicros(cluster.pid);
  for (let list = 0; list < lists; list += 1) {
    const startedAt = performance.now();
    await read(path, accept);
    durations.push(performance.now() - startedAt);
  }
  return { serverMs: (cpuMicros(cluster.pid) - before) / 1_000 / lists, wholeMs: quantile(durations, 0.5) };
}

async function createMany(count: number, data: object): Promise<void> {
  const until = created + count;
  await Promise.all(
    writers.map(async (writer) => {
      while (created < until) {
        created += 1;
        const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `bench-${created}` }, data };
        const status = await writer.post(path, JSON.stringify(object));
        if (status !== 201) throw new Error(`HTTP ${status}`);
      }
    }),
  );
}

function read(from: string, accept: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(`${cluster.url}${from}`, { agent, headers: { accept } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(chunks.length > 0 ? Buffer.concat(chunks).toString('latin1') : ''));
    });
    request.on('error', reject);
  });
}
