/** Durable creates with 64 clients: devcluster over HTTPS beside etcd's own JSON gateway, on the same disk, in turns. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuMicros, end, startCluster } from './support/cluster.js';
import { type Connection, openConnection } from './support/connection.js';
import { credentialsOf } from './support/credentials.js';
import { freePort } from './support/free-port.js';
import { quantile, report } from './support/report.js';

const clients = 64;
const roundMs = Number(process.env.BENCH_MS ?? 3_000);
const rounds = 5;
const value = 'x'.repeat(1_700);

if (spawnSync('etcd', ['--version']).status !== 0) {
  process.stderr.write('durable-creates needs etcd\nTo fix: apt-get install etcd-server\n');
  process.exit(3);
}

const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-etcd-'));
const [port, peerPort] = [await freePort(), await freePort()];
const etcd = spawn(
  'etcd',
  [
    '--data-dir',
    folder,
    '--listen-client-urls',
    `http://127.0.0.1:${port}`,
    '--advertise-client-urls',
    `http://127.0.0.1:${port}`,
  ]
    .concat(
      '--listen-peer-urls',
      `http://127.0.0.1:${peerPort}`,
      '--initial-advertise-peer-urls',
      `http://127.0.0.1:${peerPort}`,
    )
    .concat('--initial-cluster', `default=http://127.0.0.1:${peerPort}`, '--log-level', 'error'),
  { stdio: 'ignore' },
);
const cluster = await startCluster('--nodes', '1');
let serial = 0;

const toCluster = (connection: Connection) => {
  serial += 1;
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `bench-${serial}` }, data: { value } };
  return connection.post('/api/v1/namespaces/default/configmaps', JSON.stringify(object));
};
const toEtcd = (connection: Connection) => {
  serial += 1;
  const put = { key: Buffer.from(`bench-${serial}`).toString('base64'), value: Buffer.from(value).toString('base64') };
  return connection.post('/v3/kv/put', JSON.stringify(put));
};

const open: Connection[] = [];
try {
  const credentials = credentialsOf(cluster.kubeconfig);
  const theirConnections = await openAll(() => openConnection(`http://127.0.0.1:${port}`));
  const ourConnections = await openAll(() => openConnection(cluster.url, credentials));
  const ours: Round[] = [];
  const theirs: Round[] = [];
  // The first round warms both up and does not count.
  for (let round = 0; round <= rounds; round += 1) {
    theirs.push(await load(theirConnections, toEtcd, etcd.pid ?? 0));
    ours.push(await load(ourConnections, toCluster, cluster.pid));
  }
  const median = (all: readonly Round[], pick: (one: Round) => number) => quantile(all.slice(1).map(pick), 0.5);
  const beside = (pick: (one: Round) => number) => ({
    value: median(ours, pick),
    anchor: { name: 'etcd JSON gateway', value: median(theirs, pick) },
  });
  report('durable-creates', [
    {
      what: `durable creates over HTTPS, ${clients} clients, 1.7 KB`,
      unit: '/s',
      better: 'more',
      ...beside((one) => one.perSecond),
    },
    { what: 'p99 of one create', unit: 'ms', better: 'less', ...beside((one) => one.p99Ms) },
    // Says the same on a busy machine, where the numbers above say who else was there.
    { what: 'CPU of the server for one create', unit: 'us', better: 'less', ...beside((one) => one.serverMicros) },
    {
      what: 'CPU of the load generator for one create',
      unit: 'us',
      better: 'less',
      ...beside((one) => one.loadMicros),
    },
  ]);
} finally {
  for (const connection of open) connection.close();
  await cluster.stop();
  await end(etcd);
  rmSync(folder, { recursive: true, force: true });
}

interface Round {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly serverMicros: number;
  readonly loadMicros: number;
}

async function load(
  connections: readonly Connection[],
  once: (connection: Connection) => Promise<number>,
  pid: number,
): Promise<Round> {
  const latencies: number[] = [];
  const serverAtStart = cpuMicros(pid);
  const loadAtStart = cpuMicros(process.pid);
  const startedAt = performance.now();
  const client = async (connection: Connection) => {
    while (performance.now() - startedAt < roundMs) {
      const sentAt = performance.now();
      const status = await once(connection);
      if (status >= 300) throw new Error(`HTTP ${status}`);
      latencies.push(performance.now() - sentAt);
    }
  };
  await Promise.all(connections.map(client));
  return {
    perSecond: (latencies.length * 1_000) / (performance.now() - startedAt),
    p99Ms: quantile(latencies, 0.99),
    serverMicros: (cpuMicros(pid) - serverAtStart) / latencies.length,
    loadMicros: (cpuMicros(process.pid) - loadAtStart) / latencies.length,
  };
}

async function openAll(connect: () => Promise<Connection>): Promise<readonly Connection[]> {
  const opened = [await untilConnected(connect)];
  while (opened.length < clients) opened.push(await connect());
  open.push(...opened);
  return opened;
}

async function untilConnected(connect: () => Promise<Connection>): Promise<Connection> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await connect();
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
