/** How long a newcomer waits, and what an idle cluster costs. */
import { get } from 'node:https';
import { Kube } from '@slipway/kube';
import { residentMegabytes, startCluster } from './support/cluster.js';
import { freePort } from './support/free-port.js';
import { quantile, report } from './support/report.js';

const nodes = { group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false } as const;
const rounds = 7;
const readyz: number[] = [];
const announced: number[] = [];
const nodesReady: number[] = [];
let idle = 0;

for (let round = 0; round < rounds; round += 1) {
  const port = await freePort();
  const startedAt = performance.now();
  const answered = untilReady(port).then(() => readyz.push(performance.now() - startedAt));
  const cluster = await startCluster('--ephemeral', '--nodes', '3', '--port', String(port));
  announced.push(cluster.readyMs);
  await answered;
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
  row('up --ephemeral until /readyz answers, median', quantile(readyz, 0.5), 600),
  {
    what: 'up --ephemeral to API ready and all that belongs to it, median',
    unit: 'ms',
    value: quantile(announced, 0.5),
    better: 'less',
  },
  row('up --ephemeral to 3 Ready nodes, median', quantile(nodesReady, 0.5), 1_500),
  {
    what: 'resident memory after 20 s idle',
    unit: 'MB',
    value: idle,
    better: 'less',
    anchor: { name: 'target', value: 120 },
  },
]);

/** Asks again and again, as a script does that waits for its cluster. */
async function untilReady(port: number): Promise<void> {
  while (!(await isReady(port))) await new Promise((resolve) => setTimeout(resolve, 10));
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });
}

function row(what: string, value: number, target: number) {
  return { what, unit: 'ms', value, better: 'less' as const, anchor: { name: 'target', value: target } };
}
