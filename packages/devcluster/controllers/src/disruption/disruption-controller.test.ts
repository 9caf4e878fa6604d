import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { type Kube, type KubeObject, StatusError } from '@slipway/kube';
import { daemonSets } from '@slipway/kube-objects/kinds/api/daemon-sets';
import { type PodDisruptionBudget, podDisruptionBudgets } from '@slipway/kube-objects/kinds/api/disruption-budgets';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { deployments } from '@slipway/kube-objects/kinds/api/workloads';
import { aDaemonSet, aDeployment, aPod } from '@slipway/kube-objects/testing/objects';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';

const ref = { namespace: 'default', name: 'b' };

const aBudget = (spec: PodDisruptionBudget['spec']): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b', namespace: 'default' },
  spec: { selector: { matchLabels: { app: 'a' } }, ...spec },
});
const allowing = (kube: Kube, count: number) =>
  until(`${count} disruptions to be allowed`, async () => {
    const { status } = await kube.resource(podDisruptionBudgets).get(ref);
    return status?.disruptionsAllowed === count && (status.conditions?.length ?? 0) > 0 && status;
  });
const podNames = async (kube: Kube) =>
  (await kube.resource(pods).list()).items
    .filter(({ metadata }) => !metadata.deletionTimestamp)
    .map(({ metadata }) => metadata.name ?? '');

/** Evicts a pod; the refusal, if it is refused. */
async function evict(kube: Kube, name: string): Promise<StatusError | undefined> {
  const body: KubeObject = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'default' } };
  const path = `/api/v1/namespaces/default/pods/${name}/eviction`;
  const answer = await kube.transport.request({ method: 'POST', path, body });
  return answer.status === 201
    ? undefined
    : new StatusError(answer.body as ConstructorParameters<typeof StatusError>[0]);
}

test('a budget counts what the owner of its pods wants, and an eviction counts it down', async () => {
  await using cluster = await aCluster({ delays: { readyMs: 200 } });
  const { kube } = cluster;
  const { metadata: _, ...rest } = aDeployment();
  await kube.resource(deployments).create({ ...rest, metadata: { name: 'web', namespace: 'default' } });
  await kube.resource(podDisruptionBudgets).create(aBudget({ maxUnavailable: 1 }));
  expect(await allowing(kube, 1)).toMatchObject({ expectedPods: 3, desiredHealthy: 2, currentHealthy: 3 });

  const names = await podNames(kube);
  const answers = await Promise.all(names.map((name) => evict(kube, name)));
  const refusals = answers.filter((answer) => answer !== undefined);
  expect(refusals.map(({ code }) => code)).toEqual([429, 429]);
  expect(refusals[0]?.status.details?.causes?.[0]?.reason).toBe('DisruptionBudget');
  await allowing(kube, 1);
  expect((await podNames(kube)).filter((name) => names.includes(name))).toHaveLength(2);
});

test('a budget over pods whose owner has no scale allows nothing and says why', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  await kube.resource(daemonSets).create({ ...aDaemonSet(), metadata: { name: 'agent', namespace: 'default' } });
  await until('the daemon', async () => (await podNames(kube)).length === 1);
  await kube.resource(podDisruptionBudgets).create(aBudget({ maxUnavailable: 1 }));
  await until('the reason', async () => {
    const { status } = await kube.resource(podDisruptionBudgets).get(ref);
    return status?.conditions?.[0]?.message === 'daemonsets.apps does not implement the scale subresource';
  });
  const refusal = await evict(kube, (await podNames(kube))[0] ?? '');
  expect(refusal?.status.reason).toBe('TooManyRequests');
});

test('a budget with a count of its own counts only pods, also those without an owner', async () => {
  await using cluster = await aCluster({ nodes: 1 });
  const { kube } = cluster;
  await kube.resource(podDisruptionBudgets).create(aBudget({ minAvailable: 1 }));
  for (const name of ['p', 'q']) {
    const { metadata, status: _, ...pod } = aPod(name);
    await kube
      .resource(pods)
      .create({ ...pod, metadata: { name, namespace: 'default', labels: metadata.labels ?? {} } });
  }
  expect(await allowing(kube, 1)).toMatchObject({ expectedPods: 2, desiredHealthy: 1, currentHealthy: 2 });
  expect(await evict(kube, 'p')).toBeUndefined();
  await until('p to go', async () => (await podNames(kube)).join() === 'q');
  await until('the budget to take notice', async () => {
    const { status } = await kube.resource(podDisruptionBudgets).get(ref);
    return status?.expectedPods === 1 && status.currentHealthy === 1 && status.disruptionsAllowed === 0;
  });
});
