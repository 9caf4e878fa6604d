import type {
  Deployment,
  DeploymentStatus,
  ReplicaSet,
  WorkloadCondition,
} from '@slipway/kube-objects/kinds/api/workloads';
import { aDeployment, aSetOf } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { deploymentStatus, type Milestone } from './deployment-status.js';
import { deadlineInMs } from './progress.js';
import type { Generations } from './revisions.js';

const startMs = Date.UTC(2026, 0, 1);
const at = (seconds: number) => startMs + seconds * 1000;
const stamp = (seconds: number) => new Date(at(seconds)).toISOString().replace('.000Z', 'Z');
const progress = (reason: string, status: 'True' | 'False' | 'Unknown' = 'True'): WorkloadCondition => ({
  type: 'Progressing',
  status,
  reason,
  message: '',
  lastUpdateTime: stamp(0),
  lastTransitionTime: stamp(0),
});
const conditionOf = ({ conditions }: DeploymentStatus, type: string) => conditions?.find((each) => each.type === type);

test('deploymentStatus() counts all sets, and the current one as updated', () => {
  const found = { current: aSetOf('new', 3, 1), old: [aSetOf('old', 2, 2)] };
  expect(deploymentStatus(aDeployment({ replicas: 4 }), found, undefined, at(0))).toMatchObject({
    observedGeneration: 1,
    replicas: 5,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    unavailableReplicas: 2,
  });
});

test('deploymentStatus() sums up the pods that are going, once every set says how many', () => {
  const [current, old] = [aSetOf('new', 3, 1), aSetOf('old', 2, 2)];
  const going = (set: ReplicaSet, count: number): ReplicaSet => ({
    ...set,
    status: { replicas: 0, ...set.status, observedGeneration: 1, terminatingReplicas: count },
  });
  const countOf = (found: Generations, counts = true) =>
    deploymentStatus(aDeployment({ replicas: 4 }), found, undefined, at(0), counts).terminatingReplicas;
  expect(countOf({ current: going(current, 1), old: [going(old, 2)] })).toBe(3);
  expect(countOf({ current: undefined, old: [] })).toBe(0);
  expect(countOf({ current: undefined, old: [] }, false)).toBeUndefined();
  const silent = { ...old, status: { replicas: 2, observedGeneration: 1 } };
  expect(countOf({ current: going(current, 1), old: [silent] })).toBeUndefined();
  const unseen = { ...old, status: { replicas: 0 } };
  expect(countOf({ current: going(current, 1), old: [unseen] })).toBe(1);
});

test('deploymentStatus() says Available while no more are missing than the rollout may cost', () => {
  const available = (up: number) =>
    conditionOf(
      deploymentStatus(aDeployment({ replicas: 4 }), { current: aSetOf('new', 4, up), old: [] }, undefined, at(0)),
      'Available',
    );
  expect(available(3)?.status).toBe('True');
  expect(available(2)).toMatchObject({ status: 'False', reason: 'MinimumReplicasUnavailable' });
});

const created: Milestone = { kind: 'created', name: 'new' };
const stuck = { replicas: 3, updatedReplicas: 3, observedGeneration: 1 };

// what | spec | status before | pods available of 3 | milestone | seconds later | reason then | status then
const stories: [
  string,
  Partial<Deployment['spec']>,
  DeploymentStatus | undefined,
  number,
  Milestone | undefined,
  number,
  string | undefined,
  string | undefined,
][] = [
  ['a new set', {}, undefined, 0, created, 0, 'NewReplicaSetCreated', 'True'],
  ['a set found', {}, undefined, 0, { kind: 'found', name: 'new' }, 0, 'FoundNewReplicaSet', 'True'],
  [
    'a set that cannot be made',
    {},
    undefined,
    0,
    { kind: 'create-failed', name: 'new', message: 'no' },
    0,
    'ReplicaSetCreateError',
    'False',
  ],
  [
    'one more pod',
    {},
    { ...stuck, conditions: [progress('NewReplicaSetCreated')] },
    1,
    undefined,
    9,
    'ReplicaSetUpdated',
    'True',
  ],
  [
    'all pods',
    {},
    { ...stuck, conditions: [progress('ReplicaSetUpdated')] },
    3,
    undefined,
    9,
    'NewReplicaSetAvailable',
    'True',
  ],
  [
    'nothing for a while',
    {},
    { ...stuck, conditions: [progress('ReplicaSetUpdated')] },
    0,
    undefined,
    599,
    'ReplicaSetUpdated',
    'True',
  ],
  [
    'nothing for too long',
    {},
    { ...stuck, conditions: [progress('ReplicaSetUpdated')] },
    0,
    undefined,
    601,
    'ProgressDeadlineExceeded',
    'False',
  ],
  [
    'a pod lost after it was done',
    {},
    { ...stuck, availableReplicas: 3, readyReplicas: 3, conditions: [progress('NewReplicaSetAvailable')] },
    2,
    undefined,
    9999,
    'NewReplicaSetAvailable',
    'True',
  ],
  [
    'pausing',
    { paused: true },
    { ...stuck, conditions: [progress('ReplicaSetUpdated')] },
    0,
    undefined,
    9,
    'DeploymentPaused',
    'Unknown',
  ],
  [
    'resuming',
    {},
    { ...stuck, conditions: [progress('DeploymentPaused', 'Unknown')] },
    0,
    undefined,
    9,
    'DeploymentResumed',
    'Unknown',
  ],
  ['no deadline', { progressDeadlineSeconds: 2_147_483_647 }, undefined, 0, created, 0, undefined, undefined],
];

test.each(stories)(
  'deploymentStatus() after %s',
  (_what, spec, before, available, milestone, seconds, reason, status) => {
    const deployment = aDeployment(spec, before && { status: before });
    const found = { current: aSetOf('new', 3, available), old: [] };
    const then = deploymentStatus(deployment, found, milestone, at(seconds));
    const condition = conditionOf(then, 'Progressing');
    expect([condition?.reason, condition?.status]).toEqual([reason, status]);
    // A deadline that has passed is not waited for: that would requeue the Deployment without end.
    expect(deadlineInMs(deployment, then, at(seconds)) ?? 1).toBeGreaterThan(0);
  },
);

test('deploymentStatus() moves lastUpdateTime with progress and lastTransitionTime with the status', () => {
  const before = { ...stuck, conditions: [progress('ReplicaSetUpdated')] };
  const found = { current: aSetOf('new', 3, 1), old: [] };
  const condition = conditionOf(
    deploymentStatus(aDeployment({}, { status: before }), found, undefined, at(60)),
    'Progressing',
  );
  expect([condition?.lastUpdateTime, condition?.lastTransitionTime]).toEqual([stamp(60), stamp(0)]);
});

test('deploymentStatus() passes on that pods cannot be created', () => {
  const set = aSetOf('new', 3, 0);
  const failure = { type: 'ReplicaFailure', status: 'True' as const, reason: 'FailedCreate', message: 'no quota' };
  const current = { ...set, status: { replicas: 0, conditions: [failure] } };
  const status = deploymentStatus(aDeployment(), { current, old: [] }, undefined, at(0));
  expect(conditionOf(status, 'ReplicaFailure')).toMatchObject({ reason: 'FailedCreate', message: 'no quota' });
  expect(
    conditionOf(
      deploymentStatus(aDeployment({}, { status }), { current: set, old: [] }, undefined, at(0)),
      'ReplicaFailure',
    ),
  ).toBeUndefined();
});

test('deadlineInMs() looks again just after the deadline, and not at all when there is nothing to wait for', () => {
  const status = { ...stuck, conditions: [progress('ReplicaSetUpdated')] };
  expect(deadlineInMs(aDeployment(), status, at(100))).toBe(501_000);
  expect(deadlineInMs(aDeployment({ paused: true }), status, at(100))).toBeUndefined();
  expect(deadlineInMs(aDeployment(), { ...status, availableReplicas: 3 }, at(100))).toBeUndefined();
  expect(
    deadlineInMs(aDeployment(), { conditions: [progress('ProgressDeadlineExceeded', 'False')] }, at(0)),
  ).toBeUndefined();
});
