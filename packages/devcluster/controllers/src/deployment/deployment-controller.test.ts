import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { controllerOf, Events, type Kube } from '@slipway/kube';
import { isFinished, isTerminating, type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { type Deployment, deployments, replicaSets } from '@slipway/kube-objects/kinds/api/workloads';
import { aDeployment, aPod, aTemplate } from '@slipway/kube-objects/testing/objects';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';
import { isComplete } from './progress.js';
import { revisionAnnotation } from './revisions.js';

const ref = { namespace: 'default', name: 'web' };

function fresh(spec: Partial<Deployment['spec']> = {}): Deployment {
  const { metadata, ...rest } = aDeployment(spec);
  return { ...rest, metadata: { name: metadata.name ?? '', namespace: 'default' } };
}

const rolledOut = (kube: Kube) =>
  until('the rollout', async () => {
    const deployment = await kube.resource(deployments).get(ref);
    return isComplete(deployment, deployment.status ?? {}) && deployment;
  });
const setImage = (kube: Kube, image: string) =>
  kube.resource(deployments).mutate(ref, (draft) => {
    draft.spec.template = aTemplate(image);
  });
const images = async (kube: Kube) =>
  (await kube.resource(pods).list()).items
    .filter((pod) => !isTerminating(pod))
    .map((pod) => pod.spec.containers[0]?.image);

test('a Deployment rolls out, changes, and goes back, each time as a new revision', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await kube.resource(deployments).create(fresh());
  const first = await rolledOut(kube);
  expect(first.metadata.annotations?.[revisionAnnotation]).toBe('1');
  expect(await images(kube)).toEqual(['image:1', 'image:1', 'image:1']);

  await setImage(kube, 'image:2');
  expect((await rolledOut(kube)).metadata.annotations?.[revisionAnnotation]).toBe('2');
  await until('old pods to go', async () => (await images(kube)).every((image) => image === 'image:2'));
  const sets = (await kube.resource(replicaSets).list()).items;
  expect(sets.map((set) => [set.spec.replicas, set.metadata.annotations?.[revisionAnnotation]]).sort()).toEqual([
    [0, '1'],
    [3, '2'],
  ]);

  await setImage(kube, 'image:1');
  expect((await rolledOut(kube)).metadata.annotations?.[revisionAnnotation]).toBe('3');
  expect((await kube.resource(replicaSets).list()).items).toHaveLength(2);
});

test('a Deployment with Recreate never runs two versions at once', async () => {
  await using cluster = await aCluster({ delays: { stopMs: 30 } });
  const { kube } = cluster;
  await kube.resource(deployments).create(fresh({ strategy: { type: 'Recreate' } }));
  await rolledOut(kube);
  const watching = new AbortController();
  const together: string[] = [];
  const present = new Map<string, string>();
  const watch = (async () => {
    for await (const { type, object } of kube.resource(pods).watch({}, watching.signal)) {
      const name = object.metadata.name ?? '';
      // As in Kubernetes a pod whose containers have all ended runs nothing any more, whether it is deleted yet or not.
      if (type === 'DELETED' || isFinished(object as Pod)) present.delete(name);
      else present.set(name, object.spec.containers[0].image);
      if (new Set(present.values()).size > 1) together.push(name);
    }
  })();
  await setImage(kube, 'image:2');
  await until('the new version', async () => (await images(kube)).join() === 'image:2,image:2,image:2');
  watching.abort();
  await watch;
  expect(together).toEqual([]);
});

test('a paused Deployment waits with a new template, but scales', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await kube.resource(deployments).create(fresh());
  await rolledOut(kube);
  await kube.resource(deployments).mutate(ref, (draft) => {
    draft.spec.paused = true;
    draft.spec.replicas = 5;
    draft.spec.template = aTemplate('image:2');
  });
  await until('five pods', async () => (await images(kube)).length === 5);
  expect(new Set(await images(kube))).toEqual(new Set(['image:1']));
  await kube.resource(deployments).mutate(ref, (draft) => {
    draft.spec.paused = false;
  });
  await rolledOut(kube);
  expect(new Set(await images(kube))).toEqual(new Set(['image:2']));
});

test('a Deployment takes over pods and sets without a controller', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  const made = await kube.resource(deployments).create(fresh({ replicas: 2 }));
  await rolledOut(kube);
  const names = async () => (await kube.resource(pods).list()).items.map(({ metadata }) => metadata.name).sort();
  const before = await names();
  await kube.resource(deployments).delete(ref, { propagationPolicy: 'Orphan' });
  await until('the deployment to go', async () => !(await kube.resource(deployments).find(ref)));
  expect(await names()).toEqual(before);

  const again = await kube.resource(deployments).create(fresh({ replicas: 2 }));
  expect(again.metadata.uid).not.toBe(made.metadata.uid);
  await rolledOut(kube);
  expect(await names()).toEqual(before);
  const sets = (await kube.resource(replicaSets).list()).items;
  expect(sets.map((set) => controllerOf(set)?.uid)).toEqual([again.metadata.uid]);
});

test('a ReplicaSet lets a pod go that it no longer selects, and makes another', async () => {
  await using cluster = await aCluster();
  const { kube } = cluster;
  await kube.resource(deployments).create(fresh({ replicas: 1 }));
  await rolledOut(kube);
  const [pod = aPod('none')] = (await kube.resource(pods).list()).items;
  const podRef = { namespace: 'default', name: pod.metadata.name ?? '' };
  await kube.resource(pods).merge(podRef, { metadata: { labels: { app: 'other' } } });
  await until('a second pod', async () => (await kube.resource(pods).list()).items.length === 2);
  await until('the pod to be free', async () => !controllerOf(await kube.resource(pods).get(podRef)));
});

test('a Deployment tells what it does, under its own name', async () => {
  await using cluster = await aCluster();
  await cluster.kube.resource(deployments).create(fresh());
  const event = await until('the event', async () =>
    (await cluster.kube.resource(Events).list()).items.find(({ reason }) => reason === 'ScalingReplicaSet'),
  );
  expect(event.message).toMatch(/^Scaled up replica set web-[a-z0-9]+ from 0 to 3$/);
  expect(event.source.component).toBe('deployment-controller');
});
