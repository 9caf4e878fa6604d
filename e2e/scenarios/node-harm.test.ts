import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { eventually, type RunningCluster, up } from '../support/slipway.js';

/** A node of 4 cpus and 8Gi, and on it a pod that uses 6Gi and requests 1Gi. */
async function busyNode() {
  const cluster = await up({ nodes: 1, args: ['--ephemeral', '--node-cpu', '4', '--node-memory', '8Gi'] });
  const metadata = { name: 'web', annotations: { 'sim.slipway.dev/web.usage': 'memory=6Gi' } };
  const requests = { cpu: '1', memory: '1Gi' };
  const spec = { nodeName: 'n1', containers: [{ name: 'web', image: 'web', resources: { requests } }] };
  await apply(cluster, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  await done(cluster, 'wait', '--for=condition=Ready', 'pod/web', '--timeout=20s');
  return cluster;
}

async function done(cluster: RunningCluster, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(args);
  expect(code, `kubectl ${args.join(' ')}: ${stderr}`).toBe(0);
  return stdout;
}

async function apply(cluster: RunningCluster, object: object): Promise<void> {
  const { code, stderr } = await cluster.kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(object) });
  expect(code, stderr).toBe(0);
}

const shrink = ['node', 'size', 'n1', '--cpu', '2', '--memory', '2Gi', '--wait', '--timeout', '30s'];

test('shrinking a node evicts no pod: a balloon uses nothing in eviction and in kubectl top', async (context) => {
  needs(context, 'kubectl');
  await using cluster = await busyNode();
  expect((await cluster.slipway(shrink)).stdout).toMatch(/^n1 has 2 cpu and 2Gi memory for pods/);
  const top = await done(cluster, 'top', 'pod', '-n', 'kube-system', '--no-headers');
  expect(top).toMatch(/^slipway-balloon-default-\S+ +0m +0Mi *$/m);
  expect(await done(cluster, 'get', 'pod', 'web', '--no-headers')).toContain('Running');
  const audit = await cluster.slipway(['node', 'audit']);
  expect(audit.stdout).toBe('Everything holds on 1 nodes.\n');
});

test('slipway node audit names a pod that was evicted for a balloon, and a balloon that uses memory', async (context) => {
  needs(context, 'kubectl');
  await using cluster = await busyNode();
  const spec = { nodeSelector: {}, pod: { image: 'example.com/busy:1' } };
  await apply(cluster, {
    apiVersion: 'balloons.slipway.dev/v1alpha1',
    kind: 'BalloonPolicy',
    metadata: { name: 'default' },
    spec,
  });
  expect((await cluster.slipway(shrink)).code).toBe(0);
  const reason = () => done(cluster, 'get', 'pod', 'web', '-o', 'jsonpath={.status.reason}');
  await eventually('the pod to be evicted', async () => (await reason()) === 'Evicted');
  const { code, stdout, stderr } = await cluster.slipway(['node', 'audit']);
  expect(stdout).toMatch(
    /^n1 +no pod lost its place to a balloon +no +default\/web lost its place when the balloon grew/m,
  );
  expect(stdout).toMatch(
    /^n1 +a balloon uses nothing +no +pod slipway-balloon-default-\S+ uses \S+ cpu and 3Gi memory$/m,
  );
  expect(stderr).toBe('To fix: slipway node explain n1\n');
  expect(code).toBe(1);
  await done(cluster, 'delete', 'pod', 'web');
  expect((await cluster.slipway(['node', 'audit'])).stdout).toContain('default/web lost its place');
});
