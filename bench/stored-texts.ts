/**
 * Whether the store earns its allocator of JSON texts: memory for pods and the superseded states that a watch may
 * resume from, beside the same texts as strings, each in a process of its own; and what reading them takes.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
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
}

const mode = process.argv[2];
if (mode === 'store') process.stdout.write(JSON.stringify(await holdInStore()));
else if (mode === 'strings') process.stdout.write(JSON.stringify(await holdAsStrings()));
else {
  const [store, strings] = [held('store'), held('strings')];
  const row = (what: string, unit: string, part: keyof Held) => {
    const anchor = { name: 'as strings', value: strings[part] };
    return { what, unit, value: store[part], anchor, better: 'less' as const };
  };
  report('stored-texts', [
    row(`resident memory of ${pods} pods of ${writesEach} writes each, in the store`, 'MB', 'residentMegabytes'),
    row('of that, heap', 'MB', 'heapMegabytes'),
    row(`reading ${pods} texts that rested`, 'ms', 'readMs'),
  ]);
}

function held(how: string): Held {
  const self = fileURLToPath(import.meta.url);
  return JSON.parse(execFileSync(process.execPath, ['--expose-gc', self, how], { encoding: 'utf8' })) as Held;
}

async function holdInStore(): Promise<Held> {
  const store = memoryStore();
  for (let write = 0; write < writesEach; write++) {
    for (let at = 0; at < pods; at++) {
      const pod = aPod(at, write);
      await store.put('pods', pod, store.latest('pods', 'default', pod.metadata.name));
    }
  }
  const measured = await measure(() => {
    const { entries } = store.list('pods', {});
    return entries.reduce((characters, { json }) => characters + json.length, 0);
  });
  await store.close();
  return measured;
}

async function holdAsStrings(): Promise<Held> {
  const texts: string[] = [];
  for (let write = 0; write < writesEach; write++) {
    for (let at = 0; at < pods; at++) texts.push(JSON.stringify(aPod(at, write)));
  }
  const current = texts.slice(-pods);
  return measure(() => current.reduce((characters, text) => characters + JSON.stringify(text).length, 0));
}

async function measure(readAll: () => number): Promise<Held> {
  await new Promise((resolve) => setTimeout(resolve, restMs));
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const startedAt = performance.now();
  if (readAll() === 0) throw new Error('nothing was stored');
  return { residentMegabytes: rss / 1e6, heapMegabytes: heapUsed / 1e6, readMs: performance.now() - startedAt };
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
