import { controllerOf } from '@slipway/kube';
import { expect, test } from 'vitest';
import type { Pod } from '../api/pods.js';
import type { Deployment, ReplicaSet } from '../api/workloads.js';
import { aDeployment, aPod, aSetOf } from '../testing/objects.js';
import { planDeployment } from './plan-deployment.js';
import { desiredReplicasAnnotation, type Generations, revisionAnnotation } from './revisions.js';

function annotated(set: ReplicaSet, revision: number, desired = 3): ReplicaSet {
  const annotations = { [revisionAnnotation]: `${revision}`, [desiredReplicasAnnotation]: `${desired}` };
  return { ...set, metadata: { ...set.metadata, annotations } };
}

const told = (deployment: Deployment, found: Generations, pods: readonly Pod[] = []) =>
  planDeployment(deployment, found, pods)
    .actions.map((action) =>
      action.kind === 'scale'
        ? `scale ${action.set.metadata.name} to ${action.replicas}`
        : action.kind === 'create'
          ? `create with ${action.set.spec.replicas}`
          : `${action.kind} ${action.set.metadata.name}`,
    )
    .join(', ');
const recreate = (spec: Partial<Deployment['spec']> = {}) => aDeployment({ strategy: { type: 'Recreate' }, ...spec });
const none = { current: undefined, old: [] };
const podOf = (set: ReplicaSet, overrides: Parameters<typeof aPod>[1] = {}) => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'x', uid: set.metadata.uid ?? '', controller: true };
  const pod = aPod('p', overrides);
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } };
};

test('planDeployment() starts with a set of all replicas', () => {
  expect(told(aDeployment(), none)).toBe('create with 3');
  expect(planDeployment(aDeployment(), none, []).revision).toBe(1);
  expect(told(recreate(), none)).toBe('create with 3');
});

test('planDeployment() gives a new template its own set, as far as surge allows', () => {
  expect(told(aDeployment(), { current: undefined, old: [annotated(aSetOf('old', 3), 1)] })).toBe('create with 1');
});

test('planDeployment() does nothing about a new template while paused', () => {
  const old = [annotated(aSetOf('old', 3), 1)];
  expect(told(aDeployment({ paused: true }), { current: undefined, old })).toBe('');
  expect(planDeployment(aDeployment({ paused: true }), { current: undefined, old }, []).revision).toBeUndefined();
});

test('planDeployment() scales before it rolls out', () => {
  const old = [annotated(aSetOf('old', 3), 1)];
  expect(told(aDeployment({ replicas: 5 }), { current: undefined, old })).toBe('scale old to 5');
});

test('planDeployment() with Recreate waits until the last old pod has stopped', () => {
  const full = annotated(aSetOf('old', 3), 1);
  const empty = annotated(aSetOf('old', 0), 1);
  expect(told(recreate(), { current: undefined, old: [full] })).toBe('scale old to 0');
  const stopping = podOf(empty, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
  expect(controllerOf(stopping)?.uid).toBe(empty.metadata.uid);
  expect(told(recreate(), { current: undefined, old: [empty] }, [stopping])).toBe('');
  expect(told(recreate(), { current: undefined, old: [empty] }, [podOf(empty, { status: { phase: 'Failed' } })])).toBe(
    'create with 3',
  );
  expect(told(recreate(), { current: undefined, old: [empty] })).toBe('create with 3');
});

test('planDeployment() aligns a set that becomes current again and gives it a new revision', () => {
  const found = { current: annotated(aSetOf('first', 0), 1), old: [annotated(aSetOf('second', 3), 2)] };
  expect(told(aDeployment(), found)).toBe('align first, scale first to 1');
  expect(planDeployment(aDeployment(), found, []).revision).toBe(3);
});

test('planDeployment() gives up old history once it is done', () => {
  const status = { observedGeneration: 1, replicas: 3, updatedReplicas: 3, availableReplicas: 3 };
  const old = [annotated(aSetOf('a', 0), 1), annotated(aSetOf('b', 0), 2)];
  const found = { current: annotated(aSetOf('c', 3), 3), old };
  expect(told(aDeployment({ revisionHistoryLimit: 1 }, { status }), found)).toBe('delete a');
  expect(told(aDeployment({ revisionHistoryLimit: 1 }), found)).toBe('');
});
