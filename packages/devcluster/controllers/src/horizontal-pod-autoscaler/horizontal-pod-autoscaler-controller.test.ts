import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { Events, type KubeObject } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { horizontalPodAutoscalers } from '@slipway/kube-objects/kinds/api/autoscalers';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { deployments } from '@slipway/kube-objects/kinds/api/workloads';
import { until } from '@slipway/kube-objects/testing/until';
import { expect, test } from 'vitest';

const usage = 'sim.slipway.dev/main.usage';
const deployment: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' }, annotations: { [usage]: 'cpu=50m' } },
      spec: { containers: [{ name: 'main', image: 'image', resources: { requests: { cpu: '100m' } } }] },
    },
  },
};
const autoscaler = (more: object = {}): KubeObject => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 2,
    maxReplicas: 10,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
    ...more,
  },
});
const web = { namespace: 'default', name: 'web' };

async function setUp(spec: object = {}) {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const cluster = await aCluster({ clock });
  const kube = cluster.kube;
  await kube.resource(deployments).create(deployment as never);
  const running = async () =>
    (await kube.resource(pods).list({ namespace: 'default' })).items.filter((pod) => pod.status?.phase === 'Running');
  const untilRunning = (count: number) =>
    until(`${count} pods`, async () => {
      await clock.advance(200);
      return (await running()).length === count;
    });
  await untilRunning(2);
  // What pods use counts once they have run for a while.
  await clock.advance(20_000);
  await kube.resource(horizontalPodAutoscalers).create(autoscaler(spec) as never);
  const look = () => kube.resource(horizontalPodAutoscalers).get(web);
  const untilStatus = (what: string, isSo: (found: Awaited<ReturnType<typeof look>>) => boolean) =>
    until(what, async () => {
      await clock.advance(1_000);
      const found = await look();
      return isSo(found) && found;
    });
  const useCpu = async (amount: string) => {
    for (const pod of await running()) {
      await kube
        .resource(pods)
        .merge(
          { namespace: 'default', name: pod.metadata.name ?? '' },
          { metadata: { annotations: { [usage]: `cpu=${amount}` } } },
        );
    }
  };
  return { ...cluster, clock, untilRunning, untilStatus, useCpu, [Symbol.asyncDispose]: cluster[Symbol.asyncDispose] };
}

test('a Deployment grows with what its pods use, and shrinks again once nothing more was wanted for a while', async () => {
  await using cluster = await setUp();
  const { kube, clock, untilRunning, untilStatus, useCpu } = cluster;
  const calm = await untilStatus(
    'a first look',
    ({ status }) => status?.currentMetrics !== undefined && status?.currentMetrics !== null,
  );
  expect(calm.status).toMatchObject({
    currentReplicas: 2,
    desiredReplicas: 2,
    currentMetrics: [
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 50, averageValue: '50m' } } },
    ],
  });
  await useCpu('100m');
  await untilRunning(4);
  // The two that came use less, but together that would still be too much.
  await useCpu('10m');
  const grown = await untilStatus('growth', ({ status }) => status?.desiredReplicas === 4);
  expect(grown.status?.lastScaleTime).toBeDefined();
  const reasons = Object.fromEntries((grown.status?.conditions ?? []).map(({ type, reason }) => [type, reason]));
  expect(reasons).toMatchObject({ ScalingActive: 'ValidMetricFound', ScalingLimited: 'DesiredWithinRange' });
  await until('the event', async () => {
    const { items } = await kube.resource(Events).list({ namespace: 'default' });
    return items.some(
      ({ reason, message }) =>
        reason === 'SuccessfulRescale' &&
        message === 'New size: 4; reason: cpu resource utilization (percentage of request) above target',
    );
  });
  const held = await untilStatus('it waits', ({ status }) =>
    (status?.conditions ?? []).some(({ reason }) => reason === 'ScaleDownStabilized'),
  );
  expect(held.status?.desiredReplicas).toBe(4);
  await clock.advance(300_000);
  await untilRunning(2);
});

test('an autoscaler says what keeps it from scaling', async () => {
  await using cluster = await setUp({ scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'other' } });
  const found = await cluster.untilStatus('a finding', ({ status }) => (status?.conditions ?? []).length > 0);
  expect(found.status?.conditions).toMatchObject([
    {
      type: 'AbleToScale',
      status: 'False',
      reason: 'FailedGetScale',
      message: `the HPA controller was unable to get the target's current scale: deployments.apps "other" not found`,
    },
  ]);
});

test('one metric that says nothing keeps it from shrinking, not from growing', async () => {
  const custom = {
    type: 'Pods',
    pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '10' } },
  };
  const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } };
  await using cluster = await setUp({ minReplicas: 1, metrics: [custom, cpu] });
  await cluster.useCpu('10m');
  const held = await cluster.untilStatus('a finding', ({ status }) =>
    (status?.conditions ?? []).some(({ reason }) => reason === 'FailedGetPodsMetric'),
  );
  expect(held.status?.conditions?.find(({ type }) => type === 'ScalingActive')).toMatchObject({ status: 'False' });
  await cluster.useCpu('100m');
  await cluster.untilRunning(4);
});

test('two autoscalers of the same pods stand still and say so, until one of them goes', async () => {
  await using cluster = await setUp();
  const { kube, untilStatus, useCpu, untilRunning } = cluster;
  const other = { ...autoscaler(), metadata: { name: 'also-web', namespace: 'default' } };
  await kube.resource(horizontalPodAutoscalers).create(other as never);
  await useCpu('100m');
  const isAmbiguous = ({ status }: Awaited<ReturnType<typeof untilStatus>>) =>
    (status?.conditions ?? []).some(({ reason }) => reason === 'AmbiguousSelector');
  const held = await untilStatus('the finding', isAmbiguous);
  const message = 'pods by selector app=web are controlled by multiple HPAs: [default/also-web default/web]';
  expect(held.status?.conditions?.find(({ type }) => type === 'ScalingActive')).toMatchObject({
    status: 'False',
    message,
  });
  const told = await until('the events', async () => {
    const { items } = await kube.resource(Events).list({ namespace: 'default' });
    const those = items.filter((event) => event.message === message && event.involvedObject.name === 'web');
    return those.length === 2 && those.map(({ reason }) => reason).sort();
  });
  expect(told).toEqual(['AmbiguousSelector', 'FailedComputeMetricsReplicas']);
  await kube.resource(horizontalPodAutoscalers).delete({ namespace: 'default', name: 'also-web' });
  await untilStatus('it scales again', (found) => !isAmbiguous(found));
  await untilRunning(4);
});
