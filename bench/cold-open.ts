/** How long 100,000 objects on disk keep a start waiting, and what they cost once they are there. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { startCluster as startLibrary } from '@slipway/devcluster';
import { residentMegabytes, startCluster } from './support/cluster.js';
import { quantile, report } from './support/report.js';

const objects = Number(process.env.BENCH_OBJECTS ?? 100_000);
const folder = mkdtempSync(join(fileURLToPath(new URL('../', import.meta.url)), 'cold-open-'));
const dataDir = join(folder, 'data');
const configMaps = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true } as const;

try {
  await fill();
  const opens: number[] = [];
  const parses: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const { openMs, parseMs } = await inThread();
    opens.push(openMs);
    parses.push(parseMs);
  }
  const cluster = await startCluster('--nodes', '3', '--data-dir', dataDir);
  await new Promise((resolve) => setTimeout(resolve, 20_000));
  const resident = residentMegabytes(cluster.pid);
  await cluster.stop();
  const target = (value: number) => ({ name: 'target', value });
  const openMs = quantile(opens, 0.5);
  report('cold-open', [
    { what: `open a store of ${objects} objects`, unit: 'ms', better: 'less', value: openMs, anchor: target(500) },
    {
      what: 'the same beside parsing all of them',
      unit: 'ms',
      better: 'less',
      value: openMs,
      anchor: { name: 'JSON.parse', value: quantile(parses, 0.5) },
    },
    { what: `up with ${objects} objects to API ready`, unit: 'ms', better: 'less', value: cluster.readyMs },
    {
      what: `resident memory with ${objects} small objects, 20 s later`,
      unit: 'MB',
      better: 'less',
      value: resident,
      anchor: target(600),
    },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function fill(): Promise<void> {
  const cluster = await startLibrary({ dataDir, nodes: 0 });
  const client = cluster.kube().resource(configMaps);
  let made = 0;
  const write = async () => {
    while (made < objects) {
      made += 1;
      const metadata = { name: `bench-${made}`, namespace: 'default' };
      await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value: 'x'.repeat(700) } });
    }
  };
  await Promise.all(Array.from({ length: 256 }, write));
  await cluster.stop();
}

/** Opens the store in a thread of its own, where nothing of it is in memory yet. */
function inThread(): Promise<{ readonly openMs: number; readonly parseMs: number }> {
  const program = `
    import { parentPort, workerData } from 'node:worker_threads';
    import { lmdbStore } from ${JSON.stringify(import.meta.resolve('@slipway/devcluster'))};
    const startedAt = performance.now();
    const store = await lmdbStore({ path: workerData });
    const openMs = performance.now() - startedAt;
    const texts = store.list('configmaps', {}).entries.map(({ json }) => json);
    const parsedAt = performance.now();
    for (const text of texts) JSON.parse(text);
    const parseMs = performance.now() - parsedAt;
    await store.close();
    parentPort.postMessage({ openMs, parseMs });`;
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), {
      workerData: join(dataDir, 'store.mdb'),
    });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
