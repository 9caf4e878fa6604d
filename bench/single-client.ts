/** Latency of one client without other load, and how many small reads a second come to. */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { InformerFactory, Kube, type ResourceRef, silentLog } from '@slipway/kube';
import { startCluster } from './support/cluster.js';
import { type Connection, openConnection } from './support/connection.js';
import { credentialsOf } from './support/credentials.js';
import { quantile, report } from './support/report.js';

const samples = Number(process.env.BENCH_SAMPLES ?? 2_000);
const readMs = Number(process.env.BENCH_MS ?? 3_000);
const readers = 32;
const path = '/api/v1/namespaces/default/configmaps';
const value = 'x'.repeat(1_700);
const configMaps: ResourceRef = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };

const cluster = await startCluster('--nodes', '1');
const credentials = credentialsOf(cluster.kubeconfig);
const connection = await openConnection(cluster.url, credentials);
let serial = 0;

try {
  const [syncs, creates] = await latencies();
  const events = await eventDelays();
  const reads = await readsPerSecond(await connections(cluster.url), `${path}/bench-${serial}`);
  const raw = await rawReadsPerSecond();
  const target = (at: number) => ({ name: 'target', value: at });
  const better = 'less';
  const unit = 'ms';
  report('single-client', [
    { what: 'durable create, one client, p50', unit, better, value: quantile(creates, 0.5), anchor: target(2.5) },
    {
      what: 'the same beside one fdatasync of as much',
      unit,
      better,
      value: quantile(creates, 0.5),
      anchor: { name: 'fdatasync', value: quantile(syncs, 0.5) },
    },
    { what: 'durable create, one client, p99', unit, better, value: quantile(creates, 0.99) },
    { what: 'create to the event in an informer, p50', unit, better, value: quantile(events, 0.5), anchor: target(3) },
    {
      what: 'create to the event in an informer, p99',
      unit,
      better,
      value: quantile(events, 0.99),
      anchor: target(15),
    },
    { what: `GET of 2 KB, ${readers} connections`, unit: '/s', better: 'more', value: reads, anchor: target(25_000) },
    {
      what: 'the same beside a server that does nothing else',
      unit: '/s',
      better: 'more',
      value: reads,
      anchor: { name: 'node:https', value: raw },
    },
  ]);
} finally {
  connection.close();
  await cluster.stop();
}

/** Of single syncs of as many bytes, and of creates, in turns on the same disk. */
async function latencies(): Promise<[number[], number[]]> {
  const folder = mkdtempSync(join(fileURLToPath(new URL('../', import.meta.url)), 'single-client-'));
  const file = openSync(join(folder, 'raw'), 'w');
  const bytes = Buffer.from(aConfigMap());
  const syncs: number[] = [];
  const creates: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    let startedAt = performance.now();
    writeSync(file, bytes);
    fdatasyncSync(file);
    syncs.push(performance.now() - startedAt);
    startedAt = performance.now();
    await create();
    creates.push(performance.now() - startedAt);
  }
  closeSync(file);
  rmSync(folder, { recursive: true, force: true });
  return [syncs, creates.slice(samples / 10)];
}

async function eventDelays(): Promise<number[]> {
  const factory = new InformerFactory(await Kube.connect({ kubeconfig: cluster.kubeconfig }), { log: silentLog });
  const informer = factory.informer(configMaps, { namespace: 'default' });
  let seen = (_name: string) => {};
  informer.onChange(({ object }) => seen(object.metadata.name ?? ''));
  factory.start();
  await informer.whenSynced();
  const delays: number[] = [];
  for (let sample = 0; sample < samples / 4; sample += 1) {
    const startedAt = performance.now();
    const wanted = `bench-${serial + 1}`;
    const arrived = new Promise<void>((resolve) => {
      seen = (name) => name === wanted && resolve();
    });
    await Promise.all([create(), arrived]);
    delays.push(performance.now() - startedAt);
    // Idle in between, as a person at a keyboard is.
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await factory.stop();
  return delays.slice(samples / 40);
}

async function readsPerSecond(all: readonly Connection[], from: string): Promise<number> {
  let reads = 0;
  const startedAt = performance.now();
  await Promise.all(
    all.map(async (one) => {
      while (performance.now() - startedAt < readMs) {
        const status = await one.send('GET', from);
        if (status !== 200) throw new Error(`HTTP ${status}`);
        reads += 1;
      }
    }),
  );
  const perSecond = (reads * 1_000) / (performance.now() - startedAt);
  for (const one of all) one.close();
  return perSecond;
}

/** A server in a thread of its own that answers every request with the same bytes, over TLS. */
async function rawReadsPerSecond(): Promise<number> {
  await connection.send('GET', `${path}/bench-${serial}`);
  const program = `
    const { createServer } = require('node:https');
    const { parentPort, workerData } = require('node:worker_threads');
    const { body, ...tls } = workerData;
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const server = createServer(tls, (_request, response) => response.writeHead(200, headers).end(body));
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;
  const workerData = { body: connection.body, cert: credentials.cert.toString(), key: credentials.key.toString() };
  const worker = new Worker(program, { eval: true, workerData });
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  const perSecond = await readsPerSecond(await connections(`https://127.0.0.1:${port}`), '/');
  await worker.terminate();
  return perSecond;
}

function connections(url: string): Promise<readonly Connection[]> {
  const tls = { ...credentials, rejectUnauthorized: false };
  return Promise.all(Array.from({ length: readers }, () => openConnection(url, tls)));
}

function aConfigMap(): string {
  serial += 1;
  const metadata = { name: `bench-${serial}` };
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } });
}

async function create(): Promise<void> {
  const status = await connection.post(path, aConfigMap());
  if (status !== 201) throw new Error(`HTTP ${status}`);
}
