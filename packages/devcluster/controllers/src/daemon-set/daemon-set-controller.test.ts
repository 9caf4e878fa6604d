import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import type { Kube } from '@slipway/kube';
import { type DaemonSet, daemonSets } from '@slipway/kube-objects/kinds/api/daemon-sets';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { controllerRevisions } from '@slipway/kube-objects/kinds/api/workloads';
import { aDaemonSet, aNode, aPod, aTemplate } from '@slipway/kube-objects/testing/objects';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';
import { targetNode } from './daemon-pod.js';

const ref = { namespace: 'default', name: 'agent' };

function fresh(spec: Partial<DaemonSet['spec']> = {}): DaemonSet {
  return { ...aDaemonSet(spec), metadata: { name: 'agent', namespace: 'default' } };
}

const settled = (kube: Kube, wanted: number) =>
  until(`${wanted} daemons`, async () => {
    const { metadata, status } = await kube.resource(daemonSets).get(ref);
    const isSeen = status?.observedGeneration === metadata.generation && status?.desiredNumberScheduled === wanted;
    const [updated, available] = [status?.updatedNumberScheduled ?? 0, status?.numberAvailable ?? 0];
    return isSeen && updated === wanted && available === wanted && status;
  });
const daemons = async (kube: Kube) =>
  (await kube.resource(pods).list()).items
    .filter(({ metadata }) => !metadata.deletionTimestamp)
    .sort((a, b) => ((a.spec.nodeName ?? '') < (b.spec.nodeName ?? '') ? -1 : 1));
const onNodes = async (kube: Kube) => (await daemons(kube)).map(({ spec }) => spec.nodeName);
const setImage = (kube: Kube, image: string) =>
  kube.resource(daemonSets).mutate(ref, (draft) => {
    draft.spec.template = aTemplate(image);
  });

test('a DaemonSet runs a pod on each node, cordoned ones too, and goes with its pods', async () => {
  await using cluster = await aCluster({ nodes: 3 });
  const { kube } = cluster;
  await kube.resource(nodes).merge({ name: 'n2' }, { spec: { unschedulable: true } });
  await kube.resource(daemonSets).create(fresh());
  await settled(kube, 3);
  expect(await onNodes(kube)).toEqual(['n1', 'n2', 'n3']);

  const [first] = await daemons(kube);
  await kube.resource(pods).delete({ namespace: 'default', name: first?.metadata.name ?? '' });
  await until('another pod on n1', async () => {
    const [pod] = await daemons(kube);
    return pod?.spec.nodeName === 'n1' && pod.metadata.uid !== first?.metadata.uid;
  });
  await kube.resource(daemonSets).delete(ref);
  await until('its pods to go', async () => (await kube.resource(pods).list()).items.length === 0);
});

test('a DaemonSet follows labels, taints and nodes that come', async () => {
  await using cluster = await aCluster({ nodes: 2 });
  const { kube } = cluster;
  const template = aTemplate();
  const selective = { ...template, spec: { ...template.spec, nodeSelector: { disk: 'ssd' } } };
  await kube.resource(daemonSets).create(fresh({ template: selective }));
  const label = (name: string, disk: string | null) =>
    kube.resource(nodes).merge({ name }, { metadata: { labels: { disk } } });
  await label('n1', 'ssd');
  await settled(kube, 1);
  await label('n2', 'ssd');
  await settled(kube, 2);
  await label('n1', null);
  await settled(kube, 1);
  await until('n1 to be left', async () => (await onNodes(kube)).join() === 'n2');

  const taint = { key: 'dedicated', effect: 'NoExecute' };
  await kube.resource(nodes).merge({ name: 'n2' }, { spec: { taints: [taint] } });
  await until('n2 to be left', async () => (await onNodes(kube)).length === 0);
  const { metadata, ...node } = aNode('n9', { labels: { disk: 'ssd' } });
  await kube.resource(nodes).create({ ...node, metadata: { name: 'n9', labels: metadata.labels ?? {} } });
  // No kubelet runs there, so nothing is known of its room, and the pod waits.
  await until('a pod for n9', async () => (await daemons(kube)).map(targetNode).join() === 'n9');
});

test('a DaemonSet takes over pods without a controller, and keeps one of each node', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  const { spec } = aPod('orphan');
  await kube.resource(pods).create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'orphan', namespace: 'default', labels: { app: 'a' } },
    spec: { ...spec, nodeName: 'n1' },
  });
  await kube.resource(daemonSets).create(fresh({ updateStrategy: { type: 'OnDelete' } }));
  const adopted = await until('the orphan to be adopted', async () => {
    const pod = await kube.resource(pods).get({ namespace: 'default', name: 'orphan' });
    return pod.metadata.ownerReferences?.[0]?.name === 'agent' && pod;
  });
  expect(adopted.metadata.deletionTimestamp).toBeUndefined();
  expect(await onNodes(kube)).toEqual(['n1']);
});

test('a DaemonSet records its templates, replaces pods, and goes back to an older template', async () => {
  await using cluster = await aCluster({ nodes: 3 });
  const { kube } = cluster;
  await kube.resource(daemonSets).create(fresh());
  await settled(kube, 3);
  await setImage(kube, 'image:2');
  await settled(kube, 3);
  const images = async () => new Set((await daemons(kube)).map((pod) => pod.spec.containers[0]?.image));
  expect(await images()).toEqual(new Set(['image:2']));
  await setImage(kube, 'image:1');
  await settled(kube, 3);
  expect(await images()).toEqual(new Set(['image:1']));
  const history = (await kube.resource(controllerRevisions).list()).items;
  expect(history.map(({ revision }) => revision).sort()).toEqual([2, 3]);
  const stored = await kube.resource(daemonSets).get(ref);
  expect(stored.metadata.annotations).toEqual({ 'deprecated.daemonset.template.generation': '3' });
});

test('a DaemonSet with surge never leaves a node without a pod that serves', async () => {
  await using cluster = await aCluster({ nodes: 2, delays: { readyMs: 5 } });
  const { kube } = cluster;
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } as const;
  await kube.resource(daemonSets).create(fresh({ updateStrategy }));
  await settled(kube, 2);
  const unavailable: number[] = [];
  const watching = new AbortController();
  const watched = (async () => {
    for await (const { object } of kube.resource(daemonSets).watch({}, watching.signal)) {
      unavailable.push((object as DaemonSet).status?.numberUnavailable ?? 0);
    }
  })();
  await setImage(kube, 'image:2');
  await settled(kube, 2);
  await until('the old pods to go', async () => (await onNodes(kube)).join() === 'n1,n2');
  watching.abort();
  await watched;
  expect(Math.max(...unavailable)).toBe(0);
});
