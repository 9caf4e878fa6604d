/**
 * What requests take, beside kube-apiserver and etcd: both over TLS, both on disk, in turns, with one client program for both. That
 * client has a processor less where the other server uses two.
 */
import { residentMegabytes, startCluster } from './support/cluster.js';
import { type Connection, openConnection } from './support/connection.js';
import { credentialsOf } from './support/credentials.js';
import { cpuOf, type MeasuredServer, measureFanOut } from './support/fan-out.js';
import { realControlPlane } from './support/real-control-plane.js';
import { type Measured, quantile, report } from './support/report.js';

const clients = 64;
const roundMs = Number(process.env.BENCH_MS ?? 3_000);
const rounds = 3;
const objects = 5_000;
const lists = 15;
const watchers = [1_000, 5_000].filter((count) => count <= Number(process.env.BENCH_WATCHERS ?? 5_000));
const value = 'x'.repeat(1_700);
const path = '/api/v1/namespaces/default/configmaps';
const listed = '/api/v1/namespaces/kube-public/configmaps';
const asTable = 'application/json;as=Table;g=meta.k8s.io;v=v1';

const { SLIPWAY_REAL_KUBERNETES: programs } = process.env;
if (!programs) {
  process.stderr.write(
    'api-server: run it as `npm run bench -- api-server`, which builds what it is measured beside\n',
  );
  process.exit(3);
}

let serial = 0;
/** Servers that have the objects to list. */
const filled = new Set<MeasuredServer>();
const cluster = await startCluster('--nodes', '1');
const plane = await realControlPlane(programs, { audit: false });
const ours: MeasuredServer = { url: cluster.url, tls: credentialsOf(cluster.kubeconfig), pids: [cluster.pid] };
const real: MeasuredServer = {
  url: `https://127.0.0.1:${plane.port}`,
  tls: { rejectUnauthorized: false },
  token: 'admin',
  pids: Object.values(plane.pids),
};

try {
  const rows = [
    await beside(`durable creates, ${clients} clients, 1.7 KB`, '/s', (server) => perSecond(server, clients, create)),
    await beside(`server-side apply of objects that exist, ${clients} clients`, '/s', (server) =>
      perSecond(server, clients, applyAgain),
    ),
    await beside('one durable create, p50', 'ms', oneCreate),
    await beside('GET of 2 KB, 32 connections', '/s', getsPerSecond),
    await beside(`list of ${objects} config maps, p50`, 'ms', (server) => listMs(server, 'application/json')),
    await beside('the same as a table, p50', 'ms', (server) => listMs(server, asTable)),
  ];
  for (const count of watchers)
    rows.push(await beside(`one event to ${count} watchers, p99`, 'ms', (server) => toldMs(server, count)));
  const megabytes = (server: MeasuredServer) => server.pids.reduce((sum, pid) => sum + residentMegabytes(pid), 0);
  rows.push(rowOf('resident memory at the end', 'MB', megabytes(ours), megabytes(real)));
  report('api-server', rows);
} finally {
  await plane.stop();
  await cluster.stop();
}

/** Measures both in turns; the first round warms them up and does not count. */
async function beside(
  what: string,
  unit: string,
  measure: (server: MeasuredServer) => Promise<number>,
): Promise<Measured> {
  const values: Record<'ours' | 'real', number[]> = { ours: [], real: [] };
  for (let round = 0; round <= rounds; round += 1) {
    await atRest();
    values.real.push(await measure(real));
    await atRest();
    values.ours.push(await measure(ours));
  }
  process.stderr.write(`measured: ${what}\n`);
  const median = (all: readonly number[]) => quantile(all.slice(1), 0.5);
  return rowOf(what, unit, median(values.ours), median(values.real));
}

/** Neither server still collects or compacts what came before, or ten seconds have passed. */
async function atRest(): Promise<void> {
  for (let tries = 0, busy = true; busy && tries < 20; tries += 1) {
    const before = cpuOf(ours) + cpuOf(real);
    await new Promise((resolve) => setTimeout(resolve, 500));
    busy = cpuOf(ours) + cpuOf(real) - before > 50_000;
  }
}

function rowOf(what: string, unit: string, value: number, theirs: number): Measured {
  const better = unit === '/s' ? 'more' : 'less';
  return { what, unit, better, value, anchor: { name: 'kube-apiserver and etcd', value: theirs } };
}

/** How often clients, each on a connection of its own, do `once` in a second. */
async function perSecond(
  server: MeasuredServer,
  count: number,
  once: (connection: Connection, client: number) => Promise<number>,
): Promise<number> {
  return withConnections(server, count, async (connections) => {
    let done = 0;
    const startedAt = performance.now();
    await Promise.all(
      connections.map(async (connection, client) => {
        while (performance.now() - startedAt < roundMs) {
          await demand(once(connection, client));
          done += 1;
        }
      }),
    );
    return (done * 1_000) / (performance.now() - startedAt);
  });
}

function create(connection: Connection): Promise<number> {
  serial += 1;
  return connection.post(path, configMap(`bench-${serial}`, value));
}

/** Each client applies an object of its own, with another value each time. */
function applyAgain(connection: Connection, client: number): Promise<number> {
  serial += 1;
  const name = `applied-${client}`;
  return connection.apply(`${path}/${name}?fieldManager=bench`, configMap(name, `${value}${serial}`));
}

async function oneCreate(server: MeasuredServer): Promise<number> {
  return withConnections(server, 1, async ([connection]) => {
    if (!connection) throw new Error('no connection');
    const took: number[] = [];
    for (let sample = 0; sample < 300; sample += 1) {
      const sentAt = performance.now();
      await demand(create(connection));
      took.push(performance.now() - sentAt);
    }
    return quantile(took, 0.5);
  });
}

async function getsPerSecond(server: MeasuredServer): Promise<number> {
  const name = 'to-read';
  await withConnections(server, 1, async ([connection]) => connection?.post(path, configMap(name, value)));
  return perSecond(server, 32, (connection) => connection.send('GET', `${path}/${name}`));
}

async function listMs(server: MeasuredServer, accept: string): Promise<number> {
  return withConnections(server, 16, async (connections) => {
    const [first] = connections;
    if (!first) throw new Error('no connection');
    let missing = filled.has(server) ? 0 : objects;
    filled.add(server);
    await Promise.all(
      connections.map(async (connection) => {
        while (missing > 0) {
          missing -= 1;
          serial += 1;
          await demand(connection.post(listed, configMap(`listed-${serial}`, value)));
        }
      }),
    );
    const took: number[] = [];
    for (let list = 0; list < lists; list += 1) {
      const sentAt = performance.now();
      await demand(first.send('GET', listed, accept));
      took.push(performance.now() - sentAt);
    }
    return quantile(took, 0.5);
  });
}

async function toldMs(server: MeasuredServer, count: number): Promise<number> {
  const since = await withConnections(server, 1, async ([connection]) => {
    await connection?.send('GET', `${path}?limit=1`);
    // The list may come in chunks, but it begins with its version.
    return /"resourceVersion":"(\d+)"/.exec(connection?.body ?? '')?.[1];
  });
  // Not before the watches are open: servers close connections that send nothing for ten seconds.
  let writers: readonly Connection[] = [];
  const told = await measureFanOut(server, `${path}?watch=true&resourceVersion=${since}`, count, async (events) => {
    if (writers.length === 0) writers = await connectionsTo(server, 16);
    let left = events;
    await Promise.all(
      writers.map(async (writer) => {
        while (left > 0) {
          left -= 1;
          serial += 1;
          await demand(writer.post(path, configMap(`told-${serial}`, '')));
        }
      }),
    );
  });
  for (const writer of writers) writer.close();
  return told.p99Ms;
}

async function withConnections<T>(
  server: MeasuredServer,
  count: number,
  use: (connections: readonly Connection[]) => Promise<T>,
): Promise<T> {
  const open = await connectionsTo(server, count);
  try {
    return await use(open);
  } finally {
    for (const connection of open) connection.close();
  }
}

function connectionsTo({ url, tls, token }: MeasuredServer, count: number): Promise<readonly Connection[]> {
  return Promise.all(Array.from({ length: count }, () => openConnection(url, tls, token)));
}

function configMap(name: string, text: string): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value: text } });
}

async function demand(status: Promise<number>): Promise<void> {
  const given = await status;
  if (given >= 300) throw new Error(`HTTP ${given}`);
}
