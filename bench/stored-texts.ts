/**
 * Whether the store earns its allocator of JSON texts: memory for pods and the superseded states that a watch may
 * resume from, beside a store that leaves the same texts on the heap, each in a process of its own; and what reading
 * them takes. Whether tables earn that they cut metadata out of these texts.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { metadataPiece } from '@slipway/api-server/response/metadata-text';
import { memoryStore } from '@slipway/devcluster';
import { report } from './support/report.js';

const pods = Number(process.env.BENCH_PODS ?? 10_000);
const writesEach = 3;
/** The store compresses texts that were not read for 5 to 10 s, some thousands a second. */
const restMs = Number(process.env.BENCH_REST_MS ?? 45_000);

interface Held {
  readonly residentMegabytes: number;
  readonly heapMegabytes: number;
  readonly readMs: number;
  readonly cutMs: number;
  readonly parseMs: number;
}

const mode = process.argv[2];
if (mode !== undefined) process.stdout.write(JSON.stringify(await hold(mode === 'on-heap')));
else {
  const [offHeap, onHeap] = [held('off-heap'), held('on-heap')];
  const row = (what: string, unit: string, part: keyof Held) => {
    const anchor = { name: 'on the heap', value: onHeap[part] };
    return { what, unit, value: offHeap[part], anchor, better: 'less' as const };
  };
  report('stored-texts', [
    row(`resident memory of ${pods} pods of ${writesEach} writes each, off the heap`, 'MB', 'residentMegabytes'),
    row('of that, heap', 'MB', 'heapMegabytes'),
    row(`reading ${pods} texts that rested`, 'ms', 'readMs'),
    {
      what: `cutting the metadata out of ${pods} texts, as tables do`,
      unit: 'ms',
      value: offHeap.cutMs,
      anchor: { name: 'parsing and writing it', value: offHeap.parseMs },
      better: 'less',
    },
  ]);
}

function held(how: string): Held {
  const self = fileURLToPath(import.meta.url);
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', self, how], { encoding: 'utf8' })) as Held;
}

async function hold(isOnHeap: boolean): Promise<Held> {
  const store = memoryStore(isOnHeap ? { texts: { keep: () => {}, close: () => {} } } : {});
  for (let write = 0; write < writesEach; write++) {
    for (let at = 0; at < pods; at++) {
      const pod = aPod(at, write);
      await store.put('pods', pod, store.latest('pods', 'default', pod.metadata.name));
    }
  }
  await new Promise((resolve) => setTimeout(resolve, restMs));
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const { entries } = store.list('pods', {});
  const readMs = millisecondsOf(() => sumOf(entries, ({ json }) => json.length));
  // Tables have them for their cells.
  const lean = entries.map((entry) => entry.lean);
  const cutMs = millisecondsOf(() => sumOf(entries, (entry) => encoded(metadataPiece(entry))));
  const parseMs = millisecondsOf(() =>
    sumOf(entries, ({ json }) => Buffer.byteLength(JSON.stringify(JSON.parse(json).metadata))),
  );
  if (lean.length !== pods) throw new Error('objects are missing');
  await store.close();
  return { residentMegabytes: rss / 1e6, heapMegabytes: heapUsed / 1e6, readMs, cutMs, parseMs };
}

/** Bytes of a piece, found as by a server that sends it. */
function encoded(piece: ReturnType<typeof metadataPiece>): number {
  const text = typeof piece === 'string' ? piece : piece.encoded();
  return typeof text === 'string' ? Buffer.byteLength(text) : text.end - text.start;
}

function sumOf<T>(entries: readonly T[], amount: (entry: T) => number): number {
  return entries.reduce((sum, entry) => sum + amount(entry), 0);
}

function millisecondsOf(work: () => number): number {
  const startedAt = performance.now();
  if (work() === 0) throw new Error('nothing was stored');
  return performance.now() - startedAt;
}

/** Its status grows with each write, as that of a pod that starts. */
function aPod(at: number, write: number) {
  const name = `pod-${at}`;
  const resources = { requests: { cpu: `${at % 900}m`, memory: '16Mi' }, limits: { memory: '64Mi' } };
  const env = Array.from({ length: 40 }, (_, index) => ({ name: `SETTING_${index}`, value: `value-${at * index}` }));
  const container = {
    name: 'main',
    image: 'registry.example/app:1',
    resources,
    env,
    terminationMessagePath: '/dev/log',
  };
  const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: new Date(at * 1e6).toISOString() });
  const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].slice(0, write * 2).map(condition);
  const owned = { 'f:containers': { 'k:{"name":"main"}': { 'f:image': {}, 'f:env': {}, 'f:resources': {} } } };
  const managedFields = [{ manager: 'bench', operation: 'Update', apiVersion: 'v1', fieldsV1: { 'f:spec': owned } }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', uid: `uid-${at}`, labels: { app: 'bench', at: `${at}` }, managedFields },
    spec: { nodeName: `n${at % 100}`, containers: [container], restartPolicy: 'Always' },
    status: { phase: write === 0 ? 'Pending' : 'Running', podIP: `10.0.${at >> 8}.${at & 255}`, conditions },
  };
}
