import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import type { Kube } from '@slipway/kube';
import { isTerminating, type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { persistentVolumeClaims } from '@slipway/kube-objects/kinds/api/volumes';
import { controllerRevisions, type StatefulSet, statefulSets } from '@slipway/kube-objects/kinds/api/workloads';
import { aStatefulSet, aTemplate } from '@slipway/kube-objects/testing/objects';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test, vi } from 'vitest';

const ref = { namespace: 'default', name: 'web' };

function fresh(spec: Partial<StatefulSet['spec']> = {}): StatefulSet {
  const { metadata, ...rest } = aStatefulSet(spec);
  return { ...rest, metadata: { name: metadata.name ?? '', namespace: 'default' } };
}

const settled = (kube: Kube) =>
  until('the set to settle', async () => {
    const { metadata, spec, status } = await kube.resource(statefulSets).get(ref);
    const isSeen = status?.observedGeneration === metadata.generation;
    return isSeen && status?.updatedReplicas === spec.replicas && status.availableReplicas === spec.replicas && status;
  });
const setImage = (kube: Kube, image: string) =>
  kube.resource(statefulSets).mutate(ref, (draft) => {
    draft.spec.template = aTemplate(image);
  });
const changeable = (maxUnavailable: number) =>
  fresh({
    replicas: 4,
    podManagementPolicy: 'Parallel',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable } },
  });

/** Watches pods and notes how many are missing at worst, in all and at which ordinals. */
function watchPods(kube: Kube, wanted: number) {
  const watching = new AbortController();
  const present = new Map<string, Pod>();
  const order: string[] = [];
  let worst = 0;
  const done = (async () => {
    for await (const { type, object } of kube.resource(pods).watch({}, watching.signal)) {
      const pod = object as Pod;
      const name = pod.metadata.name ?? '';
      if (type === 'DELETED') present.delete(name);
      else present.set(name, pod);
      if (type === 'ADDED') order.push(name);
      if (present.size < wanted && worst === 0 && order.length < wanted) continue;
      const serving = [...present.values()].filter((each) => !isTerminating(each) && each.status?.phase === 'Running');
      worst = Math.max(worst, wanted - serving.length);
    }
  })();
  return {
    order,
    async stop() {
      watching.abort();
      await done;
      return worst;
    },
  };
}

test('a StatefulSet starts its pods in order and keeps their names and claims', async () => {
  await using cluster = await aCluster({ delays: { readyMs: 5 } });
  const { kube } = cluster;
  const watch = watchPods(kube, 3);
  const volumeClaimTemplates = [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ];
  await kube.resource(statefulSets).create(fresh({ volumeClaimTemplates }));
  await settled(kube);
  await watch.stop();
  expect(watch.order).toEqual(['web-0', 'web-1', 'web-2']);
  const claims = (await kube.resource(persistentVolumeClaims).list()).items.map(({ metadata }) => metadata.name);
  expect(claims).toEqual(['data-web-0', 'data-web-1', 'data-web-2']);

  const before = await kube.resource(pods).get({ namespace: 'default', name: 'web-1' });
  await kube.resource(pods).delete({ namespace: 'default', name: 'web-1' });
  const after = await until('another web-1', async () => {
    const pod = await kube.resource(pods).find({ namespace: 'default', name: 'web-1' });
    return pod?.metadata.uid !== before.metadata.uid && pod;
  });
  expect(after.spec.volumes?.[0]).toMatchObject({ persistentVolumeClaim: { claimName: 'data-web-1' } });
});

test('a StatefulSet records its templates, and going back moves the old record to the end', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await kube.resource(statefulSets).create(fresh());
  const first = await settled(kube);
  await setImage(kube, 'image:2');
  const second = await settled(kube);
  expect(second.currentRevision).toBe(second.updateRevision);
  expect(second.updateRevision).not.toBe(first.updateRevision);
  await setImage(kube, 'image:1');
  expect((await settled(kube)).updateRevision).toBe(first.updateRevision);
  const history = (await kube.resource(controllerRevisions).list()).items;
  expect(Object.fromEntries(history.map(({ metadata, revision }) => [metadata.name, revision]))).toEqual({
    [first.updateRevision ?? '']: 3,
    [second.updateRevision ?? '']: 2,
  });
});

test('with the gate off maxUnavailable is not stored, and an update takes one pod at a time', async () => {
  await using cluster = await aCluster({ gates: 'MaxUnavailableStatefulSet=false', delays: { startMs: 5 } });
  const { kube } = cluster;
  await kube.resource(statefulSets).create(changeable(3));
  await settled(kube);
  expect(
    (await kube.resource(statefulSets).get(ref)).spec.updateStrategy?.rollingUpdate?.maxUnavailable,
  ).toBeUndefined();
  const watch = watchPods(kube, 4);
  await setImage(kube, 'image:2');
  await settled(kube);
  expect(await watch.stop()).toBe(1);
});

test('with the gate on an update takes maxUnavailable pods at a time', async () => {
  await using cluster = await aCluster({ delays: { startMs: 5 }, gates: 'MaxUnavailableStatefulSet=true' });
  const { kube } = cluster;
  await kube.resource(statefulSets).create(changeable(3));
  await settled(kube);
  const watch = watchPods(kube, 4);
  await setImage(kube, 'image:2');
  await settled(kube);
  expect(await watch.stop()).toBe(3);
});

test('the gate is read on every look: turned off, a stored maxUnavailable counts for nothing', async () => {
  await using cluster = await aCluster({ delays: { startMs: 5 }, gates: 'MaxUnavailableStatefulSet=true' });
  const { kube } = cluster;
  await kube.resource(statefulSets).create(changeable(3));
  await settled(kube);
  // The gate says, rightly, that such a change belongs to a restart or to a published value.
  vi.spyOn(console, 'warn').mockImplementationOnce(() => {});
  cluster.managerGate.set('MaxUnavailableStatefulSet=false');
  const watch = watchPods(kube, 4);
  await setImage(kube, 'image:2');
  await settled(kube);
  expect(await watch.stop()).toBe(1);
  const stored = await kube.resource(statefulSets).get(ref);
  expect(stored.spec.updateStrategy?.rollingUpdate?.maxUnavailable).toBe(3);
});
