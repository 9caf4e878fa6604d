import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import { Events, type Kube } from '@slipway/kube';
import { type Node, nodes } from '@slipway/kube-objects/kinds/api/nodes';
import {
  type ContainerStatus,
  type Pod,
  type PodSpec,
  type PodStatus,
  podCondition,
  pods,
} from '@slipway/kube-objects/kinds/api/pods';
import { type ProfileName, type VersionProfile, versionProfiles } from '@slipway/kube-objects/rules/version-profile';
import { aNode, aPod } from '@slipway/kube-objects/testing/objects';
import { until } from '@slipway/kube-objects/testing/until';
import { describe, expect, test } from 'vitest';
import { demandOf } from './demand/demand.js';
import { planResize } from './resize/plan-resize.js';
import { recordResizeForbidden } from './resize/record-resize.js';
import { asking, aView, outcome, preemption } from './testing/a-view.js';

/** The rules of node resizing that a scheduler has to obey, each quoted, on every profile they are promised for. */
const profiles: readonly ProfileName[] = ['v1.34', 'v1.37-gate', 'native'];

const node = aNode('n1', { allocatable: { cpu: '4', memory: '8Gi', pods: '3' } });
const resized = (cpu: { asked: string; allocated: string; actual: string }, reason?: string): Pod =>
  aPod('resized', {
    spec: { nodeName: 'n1', containers: [{ name: 'main', resources: { requests: { cpu: cpu.asked } } }] },
    status: {
      ...(reason && { conditions: [{ type: 'PodResizePending', status: 'True', reason }] }),
      containerStatuses: [
        {
          ...sized(cpu.actual).containerStatuses?.[0],
          allocatedResources: { cpu: cpu.allocated },
        } as ContainerStatus,
      ],
    },
  });
const insufficientCpu = '0/1 nodes are available: 1 Insufficient cpu.';

describe.each(profiles)('on %s', (name) => {
  const profile = versionProfiles[name];

  // 2.2: v = max(spec.requests, status.allocatedResources, status.resources.requests); Infeasible drops spec
  const effective: [string, Pod, string][] = [
    [
      'grows: what it asks for counts',
      resized({ asked: '3', allocated: '1', actual: '1' }, 'Deferred'),
      insufficientCpu,
    ],
    [
      'grows beyond the node: what it asks for does not count',
      resized({ asked: '9', allocated: '1', actual: '1' }, 'Infeasible'),
      'n1',
    ],
    ['shrinks: what it still has counts', resized({ asked: '1', allocated: '1', actual: '3' }), insufficientCpu],
    ['has shrunk', resized({ asked: '1', allocated: '1', actual: '1' }), 'n1'],
  ];
  test.each(effective)('S1 "NodeResourcesFit with 2.2" beside a pod that %s', (_what, other, expected) => {
    expect(outcome(asking({ cpu: '2' }), aView([node], [other]), profile)).toBe(expected);
  });

  test('S1 "reasons Insufficient cpu|memory, Too many pods"', () => {
    const full = ['a', 'b', 'c'].map((pod) => aPod(pod, { spec: { nodeName: 'n1', containers: [] } }));
    expect(outcome(asking({ cpu: '5', memory: '9Gi' }), aView([node], full), profile)).toBe(
      '0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 1 Too many pods.',
    );
  });

  test('S2 "victims strictly lower priority; none if preemptionPolicy Never"', () => {
    const other = aPod('other', { spec: { nodeName: 'n1', priority: 5, ...asking({ cpu: '4' }).spec } });
    const at = (priority: number, spec: Partial<PodSpec> = {}) =>
      preemption(
        asking({ cpu: '1' }, { priority, ...spec }),
        aView([node], [{ ...other, spec: { ...other.spec, priority: 5 } }]),
      );
    expect(at(6)).toBe('n1: other');
    expect(at(5)).toContain('No preemption victims found for incoming pod');
    expect(at(6, { preemptionPolicy: 'Never' })).toBe('not eligible due to preemptionPolicy=Never.');
  });

  test('S2 "event Preempted, DisruptionTarget/PreemptionByScheduler", and the node is nominated', async () => {
    await using cluster = await aStillCluster(profile);
    const { kube } = cluster;
    await create(kube, 'low', { cpu: '3' });
    await nodeOf(kube, 'low');
    await create(kube, 'high', { cpu: '3' }, { priorityClassName: 'system-cluster-critical' });
    const [low, high] = await until('the victim to go', async () => {
      const [victim, preemptor] = await Promise.all(['low', 'high'].map((pod) => kube.resource(pods).get(at(pod))));
      return victim?.metadata.deletionTimestamp && preemptor?.status?.nominatedNodeName
        ? [victim, preemptor]
        : undefined;
    });
    expect(podCondition(low as Pod, 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'PreemptionByScheduler',
      message: 'default-scheduler: preempting to accommodate a higher priority pod',
    });
    expect(high?.status?.nominatedNodeName).toBe('n1');
    const event = await eventOf(kube, 'Preempted');
    expect(event.message).toBe(`Preempted by pod ${high?.metadata.uid} on node n1`);
    await kube.resource(pods).delete(at('low'), { gracePeriodSeconds: 0 });
    expect(await nodeOf(kube, 'high')).toBe('n1');
  });

  test('S3 "gated pods never tried (SchedulingGated)"', async () => {
    await using cluster = await aStillCluster(profile);
    const { kube } = cluster;
    await create(kube, 'gated', {}, { schedulingGates: [{ name: 'balloons.slipway.dev/size' }] });
    await create(kube, 'free', {});
    await nodeOf(kube, 'free');
    const gated = await kube.resource(pods).get(at('gated'));
    expect([gated.spec.nodeName, podCondition(gated, 'PodScheduled')?.reason]).toEqual([undefined, 'SchedulingGated']);
    await kube.resource(pods).merge(at('gated'), { spec: { schedulingGates: null } });
    expect(await nodeOf(kube, 'gated')).toBe('n1');
  });

  test('S4 "pod ... delete requeues unschedulable pods at once"', async () => {
    await using cluster = await aStillCluster(profile);
    const { kube } = cluster;
    await create(kube, 'first', { cpu: '3' });
    await nodeOf(kube, 'first');
    await create(kube, 'second', { cpu: '3' });
    await refused(kube, 'second');
    await kube.resource(pods).delete(at('first'), { gracePeriodSeconds: 0 });
    expect(await nodeOf(kube, 'second')).toBe('n1');
  });

  test('S4 "pod scale-down ... requeues unschedulable pods at once"', async () => {
    await using cluster = await aStillCluster(profile);
    const { kube } = cluster;
    await create(kube, 'first', { cpu: '1' });
    await nodeOf(kube, 'first');
    await setStatus(kube, 'first', sized('3'));
    await create(kube, 'second', { cpu: '3' });
    await refused(kube, 'second');
    await setStatus(kube, 'first', sized('1'));
    expect(await nodeOf(kube, 'second')).toBe('n1');
  });
});

const low = aPod('low', { spec: { ...asking({ cpu: '3' }).spec, nodeName: 'n1' } });
const deferred = { type: 'PodResizePending', status: 'True', reason: 'Deferred' } as const;
const growing = (cpu: string, spec: Partial<PodSpec> = {}) =>
  aPod('growing', {
    spec: { ...asking({ cpu }).spec, nodeName: 'n1', priority: 100, ...spec },
    status: { ...sized('1'), conditions: [deferred] },
  });
const closed: Node['spec'] = { podPreemptionPolicy: { disableResizePreemption: ['balloons.slipway.dev/no-preempt'] } };

// rule | the node | the pod | what happens
const resizes: [string, Node, Pod, string][] = [
  ['"preemption on their node"', node, growing('4'), 'preempt low'],
  ['"skipped when node list non-empty"', { ...node, spec: closed }, growing('4'), 'forbidden'],
  ['"or policy Never"', node, growing('4', { preemptionPolicy: 'Never' }), 'rest'],
  ['"park when it fits"', aNode('n1', { allocatable: { cpu: '8', memory: '8Gi', pods: '9' } }), growing('4'), 'rest'],
  ['"only ... Fit": what no empty node could hold preempts nobody', node, growing('5'), 'rest'],
  ['"only NodeName": other nodes do not count', aNode('n2'), growing('4'), 'rest'],
];

test.each(resizes)('S5 %s', (_rule, on, pod, expected) => {
  const plan = planResize(demandOf(pod), aView([on], [low, pod]));
  const victims = plan.kind === 'preempt' ? plan.victims.map((victim) => victim.pod.metadata.name) : [];
  expect([plan.kind, ...victims].join(' ')).toBe(expected);
});

test.each([
  ['v1.37-gate', true],
  ['v1.34', false],
  ['native', false],
] as const)('S5 "Deferred pods queued": on %s the scheduler makes room: %s', async (name, makesRoom) => {
  await using cluster = await aStillCluster(versionProfiles[name]);
  const { kube } = cluster;
  await create(kube, 'low', { cpu: '1' });
  await create(kube, 'growing', { cpu: '3' }, { priorityClassName: 'system-cluster-critical' });
  await Promise.all([nodeOf(kube, 'low'), nodeOf(kube, 'growing')]);
  await setStatus(kube, 'growing', { ...sized('4'), conditions: [deferred] });
  const isGoing = async () => (await kube.resource(pods).get(at('low'))).metadata.deletionTimestamp !== undefined;
  if (makesRoom) await until('the other pod to go', isGoing);
  // Whatever came before was looked at once this pod has been refused.
  await create(kube, 'witness', { cpu: '9' });
  await refused(kube, 'witness');
  expect(await isGoing()).toBe(makesRoom);
});

test('S5 "PodResizePreemptionDisabled/True/PreemptionDisabledByNodePolicy on the pod", while it is so', async () => {
  await using cluster = await aStillCluster(versionProfiles['v1.37-gate']);
  const { kube } = cluster;
  await create(kube, 'growing', { cpu: '3' }, { schedulerName: 'nobody' });
  const told = async (isForbidden: boolean) => {
    const pod = await kube.resource(pods).get(at('growing'));
    await recordResizeForbidden(kube, pod, isForbidden, AbortSignal.timeout(5_000));
    return podCondition(await kube.resource(pods).get(at('growing')), 'PodResizePreemptionDisabled');
  };
  expect(await told(true)).toMatchObject({ status: 'True', reason: 'PreemptionDisabledByNodePolicy' });
  expect(await told(false)).toBeUndefined();
});

/** API server, controllers and scheduler with one node `n1` of 4 cpus that no kubelet looks after: pods stay as they are. */
async function aStillCluster(profile: VersionProfile) {
  const cluster = await aCluster({ nodes: 0, profile });
  const { allocatable, capacity } = aNode('n1').status ?? {};
  const made = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, status: { allocatable, capacity } };
  await cluster.kube.resource(nodes).create(made as Node);
  return cluster;
}

const at = (name: string) => ({ namespace: 'kube-system', name });

async function create(kube: Kube, name: string, requests: Record<string, string>, spec: Partial<PodSpec> = {}) {
  const tolerations = [{ operator: 'Exists' as const }];
  const { containers } = asking(requests).spec;
  const metadata = at(name);
  await kube
    .resource(pods)
    .create({ apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, tolerations, ...spec } });
}

/** What a kubelet reports of a pod that has this much cpu. */
function sized(cpu: string): PodStatus {
  const container = { name: 'main', image: '', imageID: '', ready: true, restartCount: 0, state: {} };
  return {
    phase: 'Running',
    containerStatuses: [{ ...container, allocatedResources: { cpu }, resources: { requests: { cpu } } }],
  };
}

async function setStatus(kube: Kube, name: string, status: PodStatus): Promise<void> {
  await kube.resource(pods).mergeStatus(at(name), { status });
}

const nodeOf = (kube: Kube, name: string) =>
  until(`a node for ${name}`, async () => (await kube.resource(pods).get(at(name))).spec.nodeName);
const refused = (kube: Kube, name: string) =>
  until(
    `a reason for ${name}`,
    async () => podCondition(await kube.resource(pods).get(at(name)), 'PodScheduled')?.message,
  );
const eventOf = (kube: Kube, reason: string) =>
  until(`the event ${reason}`, async () =>
    (await kube.resource(Events).list()).items.find((event) => event.reason === reason),
  );
