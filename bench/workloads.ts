/** How fast workloads come and go: a Deployment of 1,000 pods on 100 nodes until all are ready, and a full namespace until it is gone. */
import { Agent, request } from 'node:https';
import { startCluster } from './support/cluster.js';
import { openConnection } from './support/connection.js';
import { credentialsOf } from './support/credentials.js';
import { report } from './support/report.js';

const nodes = 100;
const replicas = 1_000;
const objects = 2_000;

const cluster = await startCluster('--ephemeral', '--nodes', String(nodes));
const credentials = credentialsOf(cluster.kubeconfig);
const agent = new Agent({ keepAlive: true, ...credentials });

try {
  await until(async () => (await get('/api/v1/nodes')).items.filter(isReady).length === nodes);
  const rolledOutMs = await measureRollout();
  const deletedMs = await measureNamespace();
  const unit = 'ms';
  const better = 'less';
  const target = (value: number) => ({ name: 'target', value });
  report('workloads', [
    {
      what: `Deployment, 0 to ${replicas} pods Ready on ${nodes} nodes`,
      unit,
      better,
      value: rolledOutMs,
      anchor: target(4_000),
    },
    { what: `namespace with ${objects} objects, deleted`, unit, better, value: deletedMs, anchor: target(5_000) },
  ]);
} finally {
  agent.destroy();
  await cluster.stop();
}

async function measureRollout(): Promise<number> {
  const template = {
    metadata: { labels: { app: 'many' } },
    spec: { containers: [{ name: 'main', image: 'registry.example/app:1' }] },
  };
  const spec = { replicas, selector: { matchLabels: { app: 'many' } }, template };
  const path = '/apis/apps/v1/namespaces/default/deployments';
  const startedAt = performance.now();
  await send('POST', path, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'many' }, spec });
  await until(async () => (await get(`${path}/many`)).status?.readyReplicas === replicas);
  return performance.now() - startedAt;
}

async function measureNamespace(): Promise<number> {
  await send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'full' } });
  const writers = await Promise.all(Array.from({ length: 16 }, () => openConnection(cluster.url, credentials)));
  let created = 0;
  await Promise.all(
    writers.map(async (writer) => {
      while (created < objects) {
        created += 1;
        const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `bench-${created}` } };
        const status = await writer.post('/api/v1/namespaces/full/configmaps', JSON.stringify(object));
        if (status !== 201) throw new Error(`HTTP ${status}`);
      }
    }),
  );
  for (const writer of writers) writer.close();
  const startedAt = performance.now();
  await send('DELETE', '/api/v1/namespaces/full');
  await until(async () => (await get('/api/v1/namespaces/full')).code === 404);
  return performance.now() - startedAt;
}

interface Answer {
  readonly code?: number;
  readonly items: readonly { status?: { conditions?: readonly { type: string; status: string }[] } }[];
  readonly status?: { readonly readyReplicas?: number };
}

function isReady({ status }: Answer['items'][number]): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
}

function get(path: string): Promise<Answer> {
  return send('GET', path);
}

function send(method: string, path: string, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sending = request(new URL(path, cluster.url), {
      agent,
      method,
      headers: { 'content-type': 'application/json' },
    });
    sending.once('error', reject);
    sending.once('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part) => {
        text += part;
      });
      answer.on('end', () => resolve(JSON.parse(text) as Answer));
    });
    sending.end(body && JSON.stringify(body));
  });
}

/** Looks again every 20 ms: often enough for what takes seconds, and hardly any work for the server. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}
