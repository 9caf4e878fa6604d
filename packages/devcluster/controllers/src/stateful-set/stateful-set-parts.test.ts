import type { StatefulSet } from '@slipway/kube-objects/kinds/api/workloads';
import { aPod, aStatefulSet, aTemplate } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { claimOwners, claimsOfPod } from './claims.js';
import { ordinalOf, podOfSet, revisionLabel } from './identity.js';
import { maxUnavailableOf } from './max-unavailable.js';
import { expiredRevisions, templateOf, updateRevision } from './revisions.js';
import { statefulSetStatus } from './stateful-set-status.js';

const withClaims = (policy?: StatefulSet['spec']['persistentVolumeClaimRetentionPolicy']) =>
  aStatefulSet({
    volumeClaimTemplates: [
      { metadata: { name: 'data', labels: { tier: 'db' } }, spec: { accessModes: ['ReadWriteOnce'] } },
    ],
    ...(policy && { persistentVolumeClaimRetentionPolicy: policy }),
  });

test('podOfSet() gives a pod its name everywhere and its claims as volumes', () => {
  const template = aTemplate();
  const spec = {
    ...template.spec,
    volumes: [
      { name: 'data', emptyDir: {} },
      { name: 'tmp', emptyDir: {} },
    ],
  };
  const pod = podOfSet(withClaims(), 2, { ...template, spec }, 'web-abc');
  expect(pod.metadata.name).toBe('web-2');
  expect(pod.metadata.labels).toEqual({
    app: 'a',
    'apps.kubernetes.io/pod-index': '2',
    'statefulset.kubernetes.io/pod-name': 'web-2',
    [revisionLabel]: 'web-abc',
  });
  expect([pod.spec.hostname, pod.spec.subdomain]).toEqual(['web-2', 'web']);
  expect(pod.spec.volumes).toEqual([
    { name: 'data', persistentVolumeClaim: { claimName: 'data-web-2' } },
    { name: 'tmp', emptyDir: {} },
  ]);
});

test.each([
  ['web-0', 0],
  ['web-12', 12],
  ['web-01', undefined],
  ['web-', undefined],
  ['web-x', undefined],
  ['other-1', undefined],
])('ordinalOf() of %s is %s', (name, ordinal) => {
  expect(ordinalOf(aStatefulSet(), aPod(name))).toBe(ordinal);
});

// whenDeleted | whenScaled | condemned | owner
const owners: ['Retain' | 'Delete', 'Retain' | 'Delete', boolean, string][] = [
  ['Retain', 'Retain', false, ''],
  ['Retain', 'Retain', true, ''],
  ['Delete', 'Retain', false, 'StatefulSet'],
  ['Delete', 'Retain', true, 'StatefulSet'],
  ['Retain', 'Delete', false, ''],
  ['Retain', 'Delete', true, 'Pod'],
  ['Delete', 'Delete', false, 'StatefulSet'],
  ['Delete', 'Delete', true, 'Pod'],
];

test.each(owners)('claimOwners() with %s, %s, condemned %s', (whenDeleted, whenScaled, isCondemned, kind) => {
  const set = withClaims({ whenDeleted, whenScaled });
  const [claim] = claimsOfPod(set, 0);
  const foreign = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'y' };
  const found = { ...claim, metadata: { ...claim?.metadata, ownerReferences: [foreign] } } as NonNullable<typeof claim>;
  const after = claimOwners(set, found, aPod('web-0'), isCondemned);
  expect((after ?? [foreign]).map((owner) => owner.kind).join()).toBe(kind ? `ConfigMap,${kind}` : 'ConfigMap');
  const settled = { ...found, metadata: { ...found.metadata, ownerReferences: after ?? [foreign] } };
  const pod = { ...aPod('web-0'), metadata: { ...aPod('web-0').metadata, uid: after?.at(-1)?.uid ?? '' } };
  expect(claimOwners(set, settled, pod, isCondemned)).toBeUndefined();
});

test('claimsOfPod() names claims by template, set and ordinal, and labels them by both', () => {
  const [claim] = claimsOfPod(withClaims(), 3);
  expect(claim?.metadata.name).toBe('data-web-3');
  expect(claim?.metadata.labels).toEqual({ app: 'a', tier: 'db' });
  expect(claim?.metadata.ownerReferences).toBeUndefined();
});

// gate | maxUnavailable | replicas | pods
const allowed: [boolean, number | string | undefined, number, number][] = [
  [false, 3, 10, 1],
  [false, undefined, 10, 1],
  [true, undefined, 10, 1],
  [true, 3, 10, 3],
  [true, '35%', 10, 3],
  [true, '5%', 10, 1],
];

test.each(allowed)(
  'maxUnavailableOf() with the gate %s and %s of %i replicas',
  (isOn, maxUnavailable, replicas, count) => {
    const rollingUpdate = maxUnavailable === undefined ? {} : { maxUnavailable };
    const set = aStatefulSet({ replicas, updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
    expect(maxUnavailableOf(set, { enabled: () => isOn })).toBe(count);
  },
);

test('updateRevision() records a new template, knows it again, and moves it to the end after a rollback', () => {
  const [one, two] = [
    aStatefulSet({ template: aTemplate('image:1') }),
    aStatefulSet({ template: aTemplate('image:2') }),
  ];
  const first = updateRevision(one, [], 0);
  expect(first).toMatchObject({ kind: 'new', revision: { revision: 1 } });
  expect(updateRevision(one, [first.revision], 0)).toEqual({ kind: 'known', revision: first.revision });
  const second = updateRevision(two, [first.revision], 0);
  expect(second).toMatchObject({ kind: 'new', revision: { revision: 2 } });
  const back = updateRevision(one, [second.revision, first.revision], 0);
  expect(back).toMatchObject({ kind: 'moved', revision: first.revision, number: 3 });
  expect(templateOf(first.revision)).toEqual(one.spec.template);
});

test('updateRevision() records a patch that kubectl can apply, and nothing but the template', () => {
  const set = aStatefulSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } } });
  expect(JSON.stringify(updateRevision(set, [], 0).revision.data)).toMatch(
    /^\{"spec":\{"template":\{"\$patch":"replace","metadata":.*,"spec":/,
  );
  expect(updateRevision(set, [], 0).revision.data).toEqual({
    spec: { template: { ...set.spec.template, $patch: 'replace' } },
  });
});

test('expiredRevisions() keeps what pods were made from and as much history as asked for', () => {
  const history = [1, 2, 3, 4, 5].map((revision) => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: `r${revision}` },
    data: { spec: { template: {} } },
    revision,
  }));
  const pods = [aPod('web-0', { metadata: { labels: { [revisionLabel]: 'r1' } } })];
  const expired = (revisionHistoryLimit: number) =>
    expiredRevisions(aStatefulSet({ revisionHistoryLimit }), history, { current: 'r4', update: 'r5', pods });
  expect(expired(10)).toEqual([]);
  expect(expired(1).map(({ metadata }) => metadata.name)).toEqual(['r2']);
  expect(expired(0).map(({ metadata }) => metadata.name)).toEqual(['r2', 'r3']);
});

test('statefulSetStatus() makes the updated revision current once it has reached every pod', () => {
  const pod = (name: string, revision: string) =>
    aPod(name, { metadata: { labels: { app: 'a', [revisionLabel]: revision } } });
  const names = { current: 'a', update: 'b', collisionCount: 0 };
  const half = statefulSetStatus(aStatefulSet({ replicas: 2 }), [pod('web-0', 'a'), pod('web-1', 'b')], names, 0);
  expect(half).toMatchObject({
    replicas: 2,
    readyReplicas: 2,
    currentReplicas: 1,
    updatedReplicas: 1,
    currentRevision: 'a',
    updateRevision: 'b',
  });
  const done = statefulSetStatus(aStatefulSet({ replicas: 2 }), [pod('web-0', 'b'), pod('web-1', 'b')], names, 0);
  expect(done).toMatchObject({ currentReplicas: 2, updatedReplicas: 2, currentRevision: 'b', updateRevision: 'b' });
  const onDelete = aStatefulSet({ replicas: 2, updateStrategy: { type: 'OnDelete' } });
  const currentOf = (completes: boolean) =>
    statefulSetStatus(onDelete, [pod('web-0', 'b'), pod('web-1', 'b')], names, 0, completes).currentRevision;
  expect([currentOf(true), currentOf(false)]).toEqual(['b', 'a']);
});
