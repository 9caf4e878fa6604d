import { aReplicaSet } from '@slipway/kube-objects/testing/objects';
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
