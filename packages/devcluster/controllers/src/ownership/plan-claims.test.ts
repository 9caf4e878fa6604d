import { aPod, aReplicaSet } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { planClaims, selectsEverything } from './plan-claims.js';

const owner = aReplicaSet('rs');
const ours = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'uid-of-rs', controller: true }];
const others = [{ ...ours[0], name: 'other', uid: 'uid-of-other' } as (typeof ours)[0]];
const onlyOwned = [{ ...ours[0], controller: false } as (typeof ours)[0]];
const other = { app: 'b' };
const going = '2026-01-01T00:00:00Z';

// what | metadata of the pod | where it goes | where it goes while the owner is being deleted
const cases: [string, Parameters<typeof aPod>[1], string, string][] = [
  ['ours and selected', { metadata: { ownerReferences: ours } }, 'owned', 'owned'],
  ['ours, terminating', { metadata: { ownerReferences: ours, deletionTimestamp: going } }, 'owned', 'owned'],
  ['ours, no longer selected', { metadata: { ownerReferences: ours, labels: other } }, 'release', ''],
  ["another controller's", { metadata: { ownerReferences: others } }, '', ''],
  ['without a controller and selected', {}, 'adopt', ''],
  ['owned by us but not controlled', { metadata: { ownerReferences: onlyOwned } }, 'adopt', ''],
  ['without a controller, terminating', { metadata: { deletionTimestamp: going } }, '', ''],
  ['without a controller and not selected', { metadata: { labels: other } }, '', ''],
  ['in another namespace', { metadata: { namespace: 'other' } }, '', ''],
];

test.each(cases)('planClaims() of a pod that is %s', (_what, overrides, there, leaving) => {
  const pod = aPod('p', overrides);
  const going = { ...owner, metadata: { ...owner.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  const place = (of: typeof owner) =>
    Object.entries(planClaims(of, owner.spec.selector, [pod]))
      .filter(([, pods]) => pods.length > 0)
      .map(([name]) => name)
      .join();
  expect([place(owner), place(going)]).toEqual([there, leaving]);
});

test('selectsEverything() is true for a selector without any requirement', () => {
  expect(selectsEverything({})).toBe(true);
  expect(selectsEverything({ matchLabels: {}, matchExpressions: [] })).toBe(true);
  expect(selectsEverything({ matchExpressions: [{ key: 'a', operator: 'Exists' }] })).toBe(false);
});
