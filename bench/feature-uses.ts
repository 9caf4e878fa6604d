/**
 * Counting who runs which value: 5,000 nodes of which each runs a kubelet and a kube-proxy, 200 gates, 20 vectors.
 * CPU time, so that it can be measured beside other work. What is kept of each report is measured as heap.
 */
import {
  apiVersion,
  countUses,
  type FeatureUse,
  type GateValue,
  KnownReports,
  kubernetesNamespace,
  nodeRoster,
  rollCall,
  slimUses,
} from '@slipway/features';
import { quantile, report } from './support/report.js';

const nodes = 5_000;
const components = ['kubelet', 'kube-proxy'];
const vectorsPerComponent = 10;
const gates = Array.from({ length: 200 }, (_, index) => `SomeFeatureGateNumber${String(index).padStart(3, '0')}`);
const rounds = 101;
const nowMs = 1_000_000;
const round = { epoch: 3, openedMs: 900_000, settleMs: 30_000 };
/** As they come from the wire. */
const names = JSON.parse(JSON.stringify(Array.from({ length: nodes }, (_, index) => nodeName(index)))) as string[];
const vectors = new Map<string, ReadonlyMap<string, GateValue>>(
  components.flatMap((component) =>
    Array.from({ length: vectorsPerComponent }, (_, vector) => [`${component}-${vector}`, valuesOf(vector)]),
  ),
);

const heapBefore = heap();
const slim = slimUses();
const uses = components.flatMap((component) => names.map((_name, index) => slim(aUse(component, index, 3))));
const known = new KnownReports();
for (const use of uses) known.observe(use, nowMs - 1_000);
const heapPerProcess = (heap() - heapBefore) / uses.length;

const roster = nodeRoster(names, () => true);
for (let warm = 0; warm < rounds; warm += 1) recount();
const recounts = Array.from({ length: rounds }, () => cpuMs(recount));
const heartbeats = Array.from({ length: rounds }, (_, at) => {
  const use = slim(aUse('kubelet', at, 3, `2026-01-01T00:00:${String(at).padStart(2, '0')}Z`));
  return cpuMs(() => known.observe(use, nowMs));
});

report('feature-uses', [
  {
    what: 'recount of 10,000 processes and 200 gates, cpu',
    unit: 'ms',
    value: quantile(recounts, 0.5),
    anchor: { name: 'target', value: 5 },
    better: 'less',
  },
  { what: 'taking in a heartbeat, cpu', unit: 'ms', value: quantile(heartbeats, 0.5), better: 'less' },
  {
    what: 'heap per process, informer and counting together',
    unit: 'bytes',
    value: heapPerProcess,
    anchor: { name: 'a whole report', value: wholeReport() },
    better: 'less',
  },
]);

function nodeName(index: number): string {
  return `ip-10-0-${index >> 8}-${index & 255}.eu-central-1.compute.internal`;
}

function recount(): number {
  const rollCalls = components.map((component) =>
    rollCall({
      component,
      required: true,
      roster,
      reports: known.of(kubernetesNamespace, component),
      gatesOf: (vector) => vectors.get(vector),
      round,
      nowMs,
    }),
  );
  let expected = 0;
  for (const gate of gates) expected += countUses({ gate, rollCalls, towards: 'On', waivers: [] }).expected;
  if (expected !== nodes * components.length * gates.length) throw new Error(`counted ${expected}`);
  return expected;
}

function cpuMs(work: () => unknown): number {
  const before = process.cpuUsage();
  const started = process.hrtime.bigint();
  work();
  const wallMs = Number(process.hrtime.bigint() - started) / 1e6;
  const { user, system } = process.cpuUsage(before);
  // The collector's threads count as cpu time, too; short work is below what the system can tell.
  return Math.min(wallMs, (user + system) / 1_000) || wallMs;
}

function valuesOf(vector: number): ReadonlyMap<string, GateValue> {
  return new Map(gates.map((name, index) => [name, { name, enabled: (index + vector) % 7 > 0, stage: 'Beta' }]));
}

function aUse(component: string, index: number, epoch: number, renewTime = '2026-01-01T00:00:00.000000Z'): FeatureUse {
  const instance = names[index] ?? '';
  // As it comes from the wire: no text is shared.
  return JSON.parse(
    JSON.stringify({
      apiVersion,
      kind: 'FeatureUse',
      metadata: {
        name: `${component}.${instance}`,
        namespace: kubernetesNamespace,
        uid: `00000000-0000-0000-0000-${String(index).padStart(12, '0')}`,
        resourceVersion: String(index),
        creationTimestamp: '2026-01-01T00:00:00Z',
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: instance, uid: `n-${index}` }],
        managedFields: [
          {
            manager: 'node-agent',
            operation: 'Update',
            apiVersion,
            time: renewTime,
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:spec': { '.': {}, 'f:component': {}, 'f:epoch': {}, 'f:vector': {}, 'f:renewTime': {} } },
          },
        ],
      },
      spec: {
        component,
        instance,
        node: instance,
        incarnation: `${index}`,
        startTime: '2026-01-01T00:00:00Z',
        binaryVersion: `1.34.${index % 2}`,
        source: 'Metrics',
        vector: `${component}-${index % vectorsPerComponent}`,
        queried: '/////////w8AAAAAAAAAAAAAAAAAAAAAAA==',
        epoch,
        renewTime,
        leaseDurationSeconds: 900,
      },
    }),
  ) as FeatureUse;
}

/** Heap of one report when all of it is kept. */
function wholeReport(): number {
  const before = heap();
  const kept = names.map((_name, index) => aUse('kubelet', index, 3));
  const bytes = (heap() - before) / kept.length;
  if (kept.length !== nodes) throw new Error('lost');
  return bytes;
}

function heap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
