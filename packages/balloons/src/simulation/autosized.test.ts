import { afterEach, expect, test } from 'vitest';
import type { BalloonPolicySpec } from '../api/balloon-policy.js';
import { WatchedCluster } from '../testing/watched-cluster.js';

let cluster: WatchedCluster;

const follows: BalloonPolicySpec = { autosize: { mode: 'Enforce', stabilizationSeconds: 1 } };
const cpuOf = (node: string) => cluster.size(node)?.status?.size?.cpu;
const placed = (pod: string) => cluster.pod(pod)?.spec?.nodeName;
const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web', controller: true };

/** Nodes that have come to the size of their headroom. */
async function start(nodes: number): Promise<void> {
  cluster = new WatchedCluster({ nodes, policy: follows });
  await cluster.until(() => [...cluster.kubelets.keys()].every((node) => cpuOf(node) === '250m'), 120_000);
}

afterEach(() => cluster.end());

test('a node grows for a pod that is larger than its headroom', async () => {
  await start(1);
  cluster.addWorkload('large', { cpu: '3', memory: '1Gi' });
  await cluster.until(() => placed('large') === 'n1');
});

test('a node whose kubelet does not answer is not waited for: another one grows', async () => {
  await start(2);
  const [first] = cluster.kubelets.values();
  if (first) first.isStopped = true;
  cluster.addWorkload('large', { cpu: '3', memory: '1Gi' });
  await cluster.until(() => placed('large') === 'n2', 60_000);
});

test('a node grows again once its kubelet has taken what it was late with', async () => {
  await start(1);
  const [kubelet] = cluster.kubelets.values();
  if (!kubelet) throw new Error('no kubelet');
  kubelet.isStopped = true;
  cluster.addWorkload('first', { cpu: '3', memory: '1Gi' });
  await cluster.until(() => cluster.size('n1')?.status?.lastResize?.result === 'TimedOut', 60_000);
  kubelet.isStopped = false;
  await cluster.until(() => placed('first') === 'n1');
  cluster.addWorkload('second', { cpu: '5', memory: '1Gi' });
  await cluster.until(() => placed('second') === 'n1');
});

test('a node for which its policy only recommends sizes is not waited for', async () => {
  await start(2);
  cluster.addPolicy('other', {
    weight: 1,
    autosize: { mode: 'Recommend' },
    nodeSelector: { matchLabels: { pool: 'b' } },
  });
  await cluster.editNode('n1', (draft) => {
    draft.metadata.labels = { ...draft.metadata.labels, pool: 'b' };
  });
  await cluster.until(() => cluster.size('n1')?.status?.policy === 'other');
  cluster.addWorkload('large', { cpu: '3', memory: '1Gi' });
  await cluster.until(() => placed('large') === 'n2');
});

test('a node has room for one more pod of a workload before it is created, where that could preempt another', async () => {
  await start(1);
  const addWeb = (name: string) => {
    cluster.addWorkload(name, { cpu: '2', memory: '1Gi' }, { priority: 10 });
    const pod = cluster.pod(name);
    if (pod)
      cluster.put({ group: '', plural: 'pods' }, { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } });
  };
  addWeb('web-1');
  await cluster.until(() => placed('web-1') === 'n1');
  await cluster.pass(10_000);
  expect(cpuOf('n1')).toBe('2300m');
  cluster.addWorkload('batch', { cpu: '1', memory: '1Gi' });
  await cluster.until(() => placed('batch') === 'n1' && cluster.size('n1')?.status?.free?.cpu === '2');
  addWeb('web-2');
  await cluster.pass(100);
  expect(placed('web-2')).toBe('n1');
  await cluster.until(() => cluster.size('n1')?.status?.free?.cpu === '2');
});

test('a node grows for a pod that is resized in place beyond the headroom', async () => {
  await start(1);
  cluster.addWorkload('grows', { cpu: '1', memory: '1Gi' });
  await cluster.until(() => cluster.pod('grows')?.status?.phase === 'Running');
  const pod = cluster.pod('grows');
  if (!pod) throw new Error('no pod');
  await cluster.resizePod(pod, { cpu: '6', memory: '1Gi' });
  const allocated = () => cluster.pod('grows')?.status?.containerStatuses?.[0]?.allocatedResources?.cpu;
  await cluster.until(() => allocated() === '6');
});
