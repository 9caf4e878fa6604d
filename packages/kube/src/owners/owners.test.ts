import { expect, test } from 'vitest';
import type { KubeObject } from '../transport/objects.js';
import { ensureFinalizer, removeFinalizer } from './finalizers.js';
import { controllerOf, isControlledBy, ownerReference } from './owners.js';

const owner: KubeObject = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'rs', uid: 'u1' } };

test('ownerReference() of a controller keeps the owner from going first; controllerOf() finds it', () => {
  const reference = ownerReference(owner, { controller: true });
  expect(reference).toEqual({
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'rs',
    uid: 'u1',
    controller: true,
    blockOwnerDeletion: true,
  });
  const other = ownerReference({ ...owner, metadata: { name: 'x', uid: 'u2' } });
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', ownerReferences: [other, reference] },
  };
  expect(controllerOf(pod)).toBe(reference);
  expect(isControlledBy(pod, owner)).toBe(true);
  expect(isControlledBy(pod, { ...owner, metadata: { name: 'rs', uid: 'another' } })).toBe(false);
});

test('ownerReference() needs an owner that is stored', () => {
  expect(() => ownerReference({ ...owner, metadata: { name: 'rs' } })).toThrow(TypeError);
});

test('ensureFinalizer() and removeFinalizer() change a draft once', () => {
  const draft: KubeObject = { apiVersion: 'v1', kind: 'X', metadata: { name: 'x' } };
  ensureFinalizer(draft, 'a/b');
  ensureFinalizer(draft, 'a/b');
  expect(draft.metadata.finalizers).toEqual(['a/b']);
  removeFinalizer(draft, 'a/b');
  expect(draft.metadata).toEqual({ name: 'x' });
  const going: KubeObject = { ...draft, metadata: { name: 'x', deletionTimestamp: '2026-01-01T00:00:00Z' } };
  ensureFinalizer(going, 'a/b');
  expect(going.metadata.finalizers).toBeUndefined();
});
