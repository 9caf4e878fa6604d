import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { createFeatureGate, type GateTransport } from '@slipway/feature-gates';
import { rolldown } from 'rolldown';
import { quantile, report } from './support/report.js';

/**
 * A call of `enabled()`, beside a lookup in a plain Map of the same 200 gates in the same run. Target: below 50 ns.
 * And what a process of a node says about all of them, as it goes over the wire. Target: 1.3 KB.
 */
const calls = Number(process.env.BENCH_CALLS ?? 1_000_000);
const rounds = 31;

const names = Array.from({ length: 200 }, (_, index) => `SomeFeatureGateNumber${index}`);
const isDefaultOn = (index: number) => index % 3 === 0;
const gate = createFeatureGate({ component: 'bench', version: '1.34' });
gate.add(Object.fromEntries(names.map((name, index) => [name, { stage: 'Beta', default: isDefaultOn(index) }])));
const map = new Map(names.map((name, index) => [name, isDefaultOn(index)]));
const asked = Array.from({ length: 1_024 }, (_, index) => names[(index * 7) % names.length] ?? '');

/** Counts what is on, so that no call can be left out as useless. */
let on = 0;

function nsPerCall(isOn: (name: string) => boolean | undefined): number {
  const started = process.hrtime.bigint();
  for (let call = 0; call < calls; call += 1) if (isOn(asked[call & 1_023] ?? '')) on += 1;
  return Number(process.hrtime.bigint() - started) / calls;
}

const enabled: number[] = [];
const lookup: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  enabled.push(nsPerCall((name) => gate.enabled(name)));
  lookup.push(nsPerCall((name) => map.get(name)));
}
const heapBefore = process.memoryUsage().heapUsed;
nsPerCall((name) => gate.enabled(name));
const bytes = Math.max(0, process.memoryUsage().heapUsed - heapBefore) / calls;
if (on === 0) throw new Error('no gate was ever on');

const better = 'less';
const value = quantile(enabled, 0.5);
report('feature-gates', [
  { what: 'enabled()', unit: 'ns', value, anchor: { name: 'Map lookup', value: quantile(lookup, 0.5) }, better },
  { what: 'enabled(), beside its target', unit: 'ns', value, anchor: { name: 'target', value: 50 }, better },
  { what: 'enabled(), heap per call', unit: 'bytes', value: bytes, better },
  {
    what: 'one report, 200 gates read',
    unit: 'bytes',
    value: await reportBytes(),
    anchor: { name: 'target', value: 1_300 },
    better,
  },
  {
    what: 'the library until it reports from a pod, minified and gzipped',
    unit: 'bytes',
    value: await librarySize(),
    anchor: { name: 'target', value: 12 * 1024 },
    better,
  },
]);

/** What a bundler makes of a program that makes a gate, without what it only loads in a pod. */
async function librarySize(): Promise<number> {
  const entry = 'export { createFeatureGate } from "@slipway/feature-gates";';
  const bundle = await rolldown({
    input: 'entry',
    platform: 'node',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === 'entry' ? fileURLToPath(import.meta.url) : null),
        load: (id) => (id === fileURLToPath(import.meta.url) ? entry : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  const [main] = output;
  const loaded = output.filter(({ fileName }) => fileName === main.fileName || main.imports.includes(fileName));
  return loaded.reduce((sum, each) => sum + (each.type === 'chunk' ? gzipSync(each.code, { level: 9 }).length : 0), 0);
}

/** The largest of the requests that carry the report of this gate, against a server that accepts everything. */
async function reportBytes(): Promise<number> {
  const name = 'ip-10-0-120-201.eu-central-1.compute.internal';
  const sizes: number[] = [];
  let sent = () => {};
  const first = new Promise<void>((resolve) => {
    sent = resolve;
  });
  const transport: GateTransport = {
    async request({ method, path, body }) {
      if (method === 'GET') return { status: 404, body: {} };
      if (path.includes('/featureuses')) {
        sizes.push(Buffer.byteLength(JSON.stringify(body)));
        sent();
      }
      return { status: method === 'POST' ? 201 : 200, body };
    },
  };
  const owner = { apiVersion: 'v1', kind: 'Node', name, uid: 'c7a1b6de-1111-4222-8333-444455556666' };
  const reporting = gate.startReporting({
    transport,
    namespace: 'kube-system',
    instance: name,
    node: name,
    owner,
    startWithinMs: 0,
  });
  // Reporting keeps no process alive by itself.
  const alive = setInterval(() => {}, 1_000);
  await first;
  await reporting.stop();
  clearInterval(alive);
  return Math.max(...sizes);
}
