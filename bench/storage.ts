import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lmdbStore, memoryStore, type Store } from '@slipway/devcluster';
import { quantile, report } from './support/report.js';

/** Durable puts of 1.8 KB objects, beside one fdatasync per object on the same disk in the same run. */
const durationMs = Number(process.env.BENCH_MS ?? 2000);
const folder = mkdtempSync(join(fileURLToPath(new URL('../', import.meta.url)), 'storage-'));
const text = 'x'.repeat(1600);
let created = 0;

function aPod() {
  created += 1;
  const name = `pod-${created}`;
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'bench', uid: name }, text };
}

async function puts(store: Store, writers: number): Promise<{ perSecond: number; p50: number; p99: number }> {
  const latencies: number[] = [];
  const start = performance.now();
  const until = start + durationMs;
  const write = async () => {
    while (performance.now() < until) {
      const began = performance.now();
      await store.put('pods', aPod(), undefined);
      latencies.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  const perSecond = (latencies.length / (performance.now() - start)) * 1000;
  return { perSecond, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) };
}

function rawSyncs(): number {
  const file = openSync(join(folder, 'raw'), 'w');
  const bytes = Buffer.from(JSON.stringify(aPod()));
  const start = performance.now();
  let count = 0;
  for (; performance.now() - start < durationMs; count += 1) {
    writeSync(file, bytes);
    fdatasyncSync(file);
  }
  closeSync(file);
  return (count / (performance.now() - start)) * 1000;
}

try {
  const raw = rawSyncs();
  const anchor = { name: 'one fdatasync each', value: raw };
  const better = 'more';
  const path = join(folder, 'store.mdb');
  const store = await lmdbStore({ path });
  const one = await puts(store, 1);
  const many = await puts(store, 64);
  const objects = created;
  await store.close();
  const opened = performance.now();
  const again = await lmdbStore({ path });
  const openMs = performance.now() - opened;
  await again.close();
  const memory = await puts(memoryStore(), 64);
  report('storage', [
    { what: 'durable puts, 1 writer', unit: '/s', value: one.perSecond, anchor, better },
    { what: 'durable puts, 64 writers', unit: '/s', value: many.perSecond, anchor, better },
    { what: 'durable put, 64 writers, p50', unit: 'ms', value: many.p50, better: 'less' },
    { what: 'durable put, 64 writers, p99', unit: 'ms', value: many.p99, better: 'less' },
    { what: 'ephemeral puts, 64 writers', unit: '/s', value: memory.perSecond, better },
    { what: `open ${objects} objects`, unit: 'ms', value: openMs, better: 'less' },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
