/** Durable creates with 64 clients: devcluster over HTTPS beside etcd's own JSON gateway, on the same disk, in turns. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { end, startCluster } from './support/cluster.js';
import { quantile, report } from './support/report.js';

const clients = 64;
const roundMs = 4_000;
const rounds = 3;
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
const config = readFileSync(cluster.kubeconfig, 'utf8');
const inline = (key: string) =>
  Buffer.from(new RegExp(`${key}: "?([A-Za-z0-9+/=]+)`).exec(config)?.[1] ?? '', 'base64');

const https = new HttpsAgent({
  keepAlive: true,
  maxSockets: clients,
  ca: inline('certificate-authority-data'),
  cert: inline('client-certificate-data'),
  key: inline('client-key-data'),
});
const http = new HttpAgent({ keepAlive: true, maxSockets: clients });
let serial = 0;

const toCluster = () => {
  serial += 1;
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `bench-${serial}` }, data: { value } };
  return post(httpsRequest, `${cluster.url}/api/v1/namespaces/default/configmaps`, https, JSON.stringify(object));
};
const toEtcd = () => {
  serial += 1;
  const put = { key: Buffer.from(`bench-${serial}`).toString('base64'), value: Buffer.from(value).toString('base64') };
  return post(httpRequest, `http://127.0.0.1:${port}/v3/kv/put`, http, JSON.stringify(put));
};

try {
  await untilAnswers(toEtcd);
  await untilAnswers(toCluster);
  const ours: Round[] = [];
  const theirs: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    theirs.push(await load(toEtcd));
    ours.push(await load(toCluster));
  }
  const best = (all: readonly Round[], pick: (one: Round) => number) => quantile(all.map(pick), 0.5);
  report('durable-creates', [
    {
      what: `durable creates over HTTPS, ${clients} clients, 1.7 KB`,
      unit: '/s',
      value: best(ours, (one) => one.perSecond),
      better: 'more',
      anchor: { name: 'etcd JSON gateway', value: best(theirs, (one) => one.perSecond) },
    },
    {
      what: 'p99 of one create',
      unit: 'ms',
      value: best(ours, (one) => one.p99Ms),
      better: 'less',
      anchor: { name: 'etcd JSON gateway', value: best(theirs, (one) => one.p99Ms) },
    },
  ]);
} finally {
  https.destroy();
  http.destroy();
  await cluster.stop();
  await end(etcd);
  rmSync(folder, { recursive: true, force: true });
}

interface Round {
  readonly perSecond: number;
  readonly p99Ms: number;
}

async function load(once: () => Promise<number>): Promise<Round> {
  const latencies: number[] = [];
  const startedAt = performance.now();
  const client = async () => {
    while (performance.now() - startedAt < roundMs) {
      const sentAt = performance.now();
      const status = await once();
      if (status >= 300) throw new Error(`HTTP ${status}`);
      latencies.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { perSecond: (latencies.length * 1_000) / (performance.now() - startedAt), p99Ms: quantile(latencies, 0.99) };
}

function post(send: typeof httpRequest, url: string, agent: HttpAgent, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const request = send(url, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    request.once('error', reject);
    request.end(body);
  });
}

async function untilAnswers(once: () => Promise<number>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      await once();
      return;
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
