/** How long a newcomer waits, and what an idle cluster costs. */
import { Kube } from '@slipway/kube';
import { residentMegabytes, startCluster } from './support/cluster.js';
import { quantile, report } from './support/report.js';

const nodes = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false } as const;
const rounds = 7;
const apiReady: number[] = [];
const nodesReady: number[] = [];
let idle = 0;

for (let round = 0; round < rounds; round += 1) {
  const startedAt = performance.now();
  const cluster = await startCluster('--ephemeral', '--nodes', '3');
  apiReady.push(cluster.readyMs);
  const client = (await Kube.connect({ kubeconfig: cluster.kubeconfig })).resource(nodes);
  for (;;) {
    const { items } = await client.list();
    const ready = items.filter((node) =>
      (node.status?.conditions ?? []).some(
        (it: { type: string; status: string }) => it.type === 'Ready' && it.status === 'True',
      ),
    );
    if (ready.length === 3) break;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  nodesReady.push(performance.now() - startedAt);
  if (round === rounds - 1) {
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    idle = residentMegabytes(cluster.pid);
  }
  await cluster.stop();
}

report('start', [
  row('up --ephemeral to API ready, median', quantile(apiReady, 0.5), 600),
  row('up --ephemeral to 3 Ready nodes, median', quantile(nodesReady, 0.5), 1_500),
  {
    what: 'resident memory after 20 s idle',
    unit: 'MB',
    value: idle,
    better: 'less',
    anchor: { name: 'target', value: 130 },
  },
]);

function row(what: string, value: number, target: number) {
  return { what, unit: 'ms', value, better: 'less' as const, anchor: { name: 'target', value: target } };
}
