/** What it costs to start a test from the same state again: restoring a snapshot, beside starting another cluster. */
import { startCluster } from '@slipway/devcluster';
import { type KubeObject, silentLog } from '@slipway/kube';
import { quantile, report } from './support/report.js';

const objects = 200;
const rounds = 30;
const maps = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true } as const;

const startMs: number[] = [];
const restoreMs: number[] = [];
for (let round = 0; round < 5; round += 1) {
  const startedAt = performance.now();
  const cluster = await startCluster({ nodes: 1, log: silentLog });
  startMs.push(performance.now() - startedAt);
  await cluster.stop();
}

const cluster = await startCluster({ nodes: 1, log: silentLog });
await cluster.ready();
const client = cluster.kube().resource(maps);
await Promise.all(numbers('saved').map((name) => client.create(aConfigMap(name))));
const saved = await cluster.snapshot();
for (let round = 0; round < rounds; round += 1) {
  // A test that creates, changes and deletes a third each.
  const third = Math.floor(objects / 3);
  const names = numbers('saved');
  await Promise.all([
    ...numbers('new')
      .slice(0, third)
      .map((name) => client.create(aConfigMap(name))),
    ...names.slice(0, third).map((name) => client.delete({ namespace: 'default', name })),
    ...names.slice(-third).map((name) => client.replace({ ...aConfigMap(name), data: { round: String(round) } })),
  ]);
  const startedAt = performance.now();
  await cluster.restore(saved);
  restoreMs.push(performance.now() - startedAt);
}
await cluster.stop();

const target = { name: 'target', value: 20 };
report('snapshots', [
  {
    what: `restore ${objects} objects that a test wrote, median`,
    unit: 'ms',
    value: quantile(restoreMs, 0.5),
    better: 'less',
    anchor: target,
  },
  { what: 'the same, p99', unit: 'ms', value: quantile(restoreMs, 0.99), better: 'less', anchor: target },
  { what: 'start of another cluster of one node, median', unit: 'ms', value: quantile(startMs, 0.5), better: 'less' },
]);

function numbers(prefix: string): readonly string[] {
  return Array.from({ length: objects }, (_, index) => `${prefix}-${String(index).padStart(4, '0')}`);
}

function aConfigMap(name: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'default', name },
    data: { value: 'x'.repeat(500) },
  };
}
