import type { ReplicaSet } from '@slipway/kube-objects/kinds/api/workloads';
import { aDeployment, aReplicaSet, aTemplate } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import {
  currentAnnotations,
  currentRevision,
  expiredHistory,
  generations,
  isSameSet,
  newReplicaSet,
  revisionAnnotation,
  templateHashLabel,
} from './revisions.js';

function aSet(name: string, image: string, revision: number, more: Partial<ReplicaSet['metadata']> = {}): ReplicaSet {
  const annotations = { [revisionAnnotation]: String(revision) };
  const metadata = { annotations, creationTimestamp: `2026-01-0${revision}T00:00:00Z`, ...more };
  const status = { replicas: 0, observedGeneration: 1 };
  return aReplicaSet(name, { metadata, spec: { replicas: 0, template: aTemplate(image) }, status });
}

test('newReplicaSet() marks its pods by the hash of the template and carries the notes of its Deployment', () => {
  const annotations = {
    'kubernetes.io/change-cause': 'first',
    'kubectl.kubernetes.io/last-applied-configuration': '{}',
  };
  const set = newReplicaSet(aDeployment({ replicas: 4 }, { metadata: { annotations } }), 2n, 1);
  const hash = set.metadata.labels?.[templateHashLabel];
  expect(set.metadata.name).toBe(`web-${hash}`);
  expect(set.spec.selector.matchLabels).toEqual({ app: 'a', [templateHashLabel]: hash });
  expect(set.spec.template.metadata?.labels).toEqual({ app: 'a', [templateHashLabel]: hash });
  expect(set.spec.replicas).toBe(1);
  expect(set.metadata.annotations).toEqual({
    'kubernetes.io/change-cause': 'first',
    'deployment.kubernetes.io/desired-replicas': '4',
    'deployment.kubernetes.io/max-replicas': '5',
    'deployment.kubernetes.io/revision': '2',
  });
  expect(set.metadata.ownerReferences?.[0]).toMatchObject({ uid: 'uid-of-web', controller: true });
});

test('newReplicaSet() takes another name after a collision', () => {
  const collided = aDeployment({}, { status: { collisionCount: 1 } });
  expect(newReplicaSet(collided, 1n, 1).metadata.name).not.toBe(newReplicaSet(aDeployment(), 1n, 1).metadata.name);
});

test('generations() finds the set by its template, whatever hash it carries, and sorts the others by age', () => {
  const deployment = aDeployment({ template: aTemplate('image:1') });
  const made = newReplicaSet(deployment, 1n, 1);
  const sets = [aSet('c', 'image:3', 3), made, aSet('b', 'image:2', 2)];
  const found = generations(deployment, sets);
  expect(found.current).toBe(made);
  expect(found.old.map(({ metadata }) => metadata.name)).toEqual(['b', 'c']);
  expect(generations(aDeployment({ template: aTemplate('image:9') }), sets).current).toBeUndefined();
});

test('currentRevision() is above all others, and stays when it is already', () => {
  const [first, second] = [aSet('a', 'image:1', 1), aSet('b', 'image:2', 2)];
  expect(currentRevision({ current: undefined, old: [] })).toBe(1n);
  expect(currentRevision({ current: undefined, old: [first, second] })).toBe(3n);
  expect(currentRevision({ current: second, old: [first] })).toBe(2n);
  expect(currentRevision({ current: first, old: [second] })).toBe(3n);
});

// a revision that a user wrote | that of the next rollout
test.each([
  ['3546343826724305832', 3546343826724305833n],
  ['9223372036854775808', 1n],
  ['-1', 1n],
  ['x', 1n],
])('currentRevision() follows %s', (written, next) => {
  const set = aSet('a', 'image:1', 1, { annotations: { [revisionAnnotation]: written } });
  expect(currentRevision({ current: undefined, old: [set] })).toBe(next);
});

test('currentAnnotations() remembers which rollouts a set was after a rollback', () => {
  const set = aSet('a', 'image:1', 1);
  expect(currentAnnotations(aDeployment(), set, 1n)).toBeUndefined();
  const again = currentAnnotations(aDeployment(), set, 3n);
  expect(again).toEqual({ [revisionAnnotation]: '3', 'deployment.kubernetes.io/revision-history': '1' });
  const third = currentAnnotations(
    aDeployment(),
    { ...set, metadata: { ...set.metadata, annotations: { ...again } } },
    5n,
  );
  expect(third?.['deployment.kubernetes.io/revision-history']).toBe('1,3');
});

test('isSameSet() wants our template and us as the controller', () => {
  const deployment = aDeployment();
  const made = newReplicaSet(deployment, 1n, 1);
  expect(isSameSet(made, deployment)).toBe(true);
  expect(isSameSet({ ...made, metadata: { ...made.metadata, ownerReferences: [] } }, deployment)).toBe(false);
  expect(isSameSet(made, aDeployment({ template: aTemplate('image:2') }))).toBe(false);
});

test('expiredHistory() gives up the oldest revisions beyond the limit, but none that is in use', () => {
  const old = [aSet('c', 'image:3', 3), aSet('a', 'image:1', 1), aSet('b', 'image:2', 2)];
  const names = (limit: number, sets = old) =>
    expiredHistory(aDeployment({ revisionHistoryLimit: limit }), sets).map(({ metadata }) => metadata.name);
  expect(names(10)).toEqual([]);
  expect(names(1)).toEqual(['a', 'b']);
  expect(names(0)).toEqual(['a', 'b', 'c']);
  const used = old.map((set) => (set.metadata.name === 'a' ? { ...set, spec: { ...set.spec, replicas: 1 } } : set));
  expect(names(1, used)).toEqual(['b']);
  const unseen = old.map((set) => ({ ...set, metadata: { ...set.metadata, generation: 2 } }));
  expect(names(0, unseen)).toEqual([]);
});
