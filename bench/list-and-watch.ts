/** What readers cost: lists of 10,000 objects, and one event for 1,000 watchers, over HTTPS. */
import { Agent, get } from 'node:https';
import { connect } from 'node:tls';
import { cpuMicros, startCluster } from './support/cluster.js';
import { openConnection } from './support/connection.js';
import { credentialsOf } from './support/credentials.js';
import { quantile, report } from './support/report.js';

const objects = 10_000;
const lists = 15;
const watchers = 1_000;
const events = 30;
const burst = 50;
const path = '/api/v1/namespaces/default/configmaps';
const value = 'x'.repeat(1_700);
const asTable = 'application/json;as=Table;g=meta.k8s.io;v=v1';

const cluster = await startCluster('--ephemeral', '--nodes', '1');
const credentials = credentialsOf(cluster.kubeconfig);
const agent = new Agent({ keepAlive: true, ...credentials });
const writers = await Promise.all(Array.from({ length: 16 }, () => openConnection(cluster.url, credentials)));
let created = 0;

try {
  const fanOut = await measureWatchers();
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

/**
 * The p99 of single events, from sending the write that makes one, and how many
 * deliveries a second a burst of events comes to.
 */
async function measureWatchers() {
  const { metadata } = JSON.parse(await read(`${path}?limit=1`, 'application/json'));
  let seen = 0;
  const delays: number[] = [];
  let sentAt = performance.now();
  let wanted = watchers;
  let all = () => {};
  const onEvent = () => {
    seen += 1;
    delays.push(performance.now() - sentAt);
    if (seen === wanted) all();
  };
  const deliveries = async (count: number) => {
    seen = 0;
    wanted = watchers * count;
    delays.length = 0;
    sentAt = performance.now();
    const arrived = new Promise<void>((resolve) => {
      all = resolve;
    });
    await createMany(count, {});
    await arrived;
    return performance.now() - sentAt;
  };
  const open: (() => void)[] = [];
  while (open.length < watchers) {
    const some = Array.from({ length: 20 }, () => openWatch(metadata.resourceVersion, onEvent));
    open.push(...(await Promise.all(some)));
  }
  await deliveries(burst);
  const slowest: number[] = [];
  for (let event = 0; event < events; event += 1) {
    await deliveries(1);
    slowest.push(quantile(delays, 0.99));
  }
  const before = cpuMicros(cluster.pid);
  const tookMs: number[] = [];
  for (let round = 0; round < 5; round += 1) tookMs.push(await deliveries(burst));
  const serverMicros = (cpuMicros(cluster.pid) - before) / (5 * burst * watchers);
  for (const close of open) close();
  return {
    p99Ms: quantile(slowest, 0.5),
    perSecond: (burst * watchers * 1_000) / quantile(tookMs, 0.5),
    serverMicros,
  };
}

/** Opens a watch on a connection of its own and resolves once it is answered. Every event is a line. */
function openWatch(since: string, onEvent: () => void): Promise<() => void> {
  const { hostname: host, port } = new URL(cluster.url);
  return new Promise((resolve, reject) => {
    let before = '';
    const socket = connect({ host, port: Number(port), ...credentials }, () => {
      socket.write(`GET ${path}?watch=true&resourceVersion=${since} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    });
    socket.setEncoding('latin1');
    socket.on('error', reject);
    socket.on('data', (text: string) => {
      if (before === '') resolve(() => void socket.destroy());
      const all = before + text;
      for (let at = all.indexOf('\n', before.length); at >= 0; at = all.indexOf('\n', at + 1)) {
        // Lines of HTTP end with a carriage return before it, those of events do not.
        if (all[at - 1] !== '\r') onEvent();
      }
      before = all.slice(-1);
    });
  });
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
