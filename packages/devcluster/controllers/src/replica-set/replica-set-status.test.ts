import { aPod, aReplicaSet } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { replicaSetStatus } from './replica-set-status.js';

const refused = (name: string) => ({ reason: 'FailedCreate' as const, message: `pods "${name}" is forbidden` });

test('a failure that goes on is said once, and taken back when it is over', () => {
  const set = aReplicaSet('web');
  const first = replicaSetStatus(set, [], refused('web-a'), 0);
  expect(first.conditions).toEqual([
    {
      type: 'ReplicaFailure',
      status: 'True',
      reason: 'FailedCreate',
      message: 'pods "web-a" is forbidden',
      lastTransitionTime: '1970-01-01T00:00:00Z',
    },
  ]);
  expect(replicaSetStatus({ ...set, status: first }, [], refused('web-b'), 5_000)).toEqual(first);
  expect(replicaSetStatus({ ...set, status: first }, [], undefined, 5_000).conditions).toBeUndefined();
});

test('pods that were deleted and still run are counted, since 1.35', () => {
  const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const owned = [
    aPod('a'),
    aPod('b', { metadata: going }),
    aPod('c', { metadata: going, status: { phase: 'Failed' } }),
  ];
  const counted = replicaSetStatus(aReplicaSet('web'), owned, undefined, 0, true);
  expect(counted).toMatchObject({ replicas: 1, terminatingReplicas: 1 });
  expect(replicaSetStatus(aReplicaSet('web'), owned, undefined, 0)).not.toHaveProperty('terminatingReplicas');
});
