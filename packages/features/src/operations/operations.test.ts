import { failureStatus, StatusError } from '@slipway/kube';
import { expect, test } from 'vitest';
import type { FeatureStatus } from '../api/feature.js';
import { Feature } from '../api/feature.js';
import { FeatureDefinition, type FeatureDefinitionSpec } from '../api/feature-definition.js';
import { apiVersion, group } from '../api/group.js';
import { aCluster, asIfServed, type TestCluster } from '../testing/a-cluster.js';
import { findFeature } from './find-feature.js';
import { listUses } from './list-uses.js';
import { previewApproval, previewChange, previewClean } from './preview-change.js';
import { approveTransition, isNotInstalled, requestChange } from './request-change.js';
import { requestRetry } from './request-retry.js';

const field = { group: 'apps', resource: 'statefulsets', path: 'spec.updateStrategy.rollingUpdate.maxUnavailable' };
const definition: FeatureDefinitionSpec = {
  gate: 'Widgets',
  components: [{ name: 'operator', roster: 'Self' }],
  dynamic: 'Live',
  references: [field],
  tasks: { off: [{ kind: 'ClearField', args: field }] },
};

const accepted = {
  conditions: [{ type: 'Accepted', status: 'True', observedGeneration: 1, reason: 'Valid', message: '' }],
};

/** A cluster with one Feature in kube-system, declared unless `declared` is false. */
function withFeature(
  status: FeatureStatus,
  declared: Partial<FeatureDefinitionSpec> | false = {},
): [TestCluster, Feature] {
  const cluster = aCluster({ sets: 5, users: 3 });
  const metadata = { name: 'widgets', namespace: 'kube-system' };
  cluster.api.seed(
    { group, plural: 'features' },
    { apiVersion, kind: 'Feature', metadata, spec: { gate: 'Widgets' }, status },
  );
  if (declared !== false) {
    const spec = { ...definition, ...declared };
    cluster.api.seed(
      { group, plural: 'featuredefinitions' },
      { apiVersion, kind: 'FeatureDefinition', metadata: { ...metadata, generation: 1 }, spec, status: accepted },
    );
  }
  return [cluster, cluster.feature('widgets') as Feature];
}

const widgets = { name: 'widgets', namespace: 'kube-system' };

function seedFeature(cluster: TestCluster, spec: object) {
  return cluster.kube.resource(Feature).merge(widgets, { spec });
}

function seedDefinition(cluster: TestCluster, status: object, generation = 1) {
  const [known] = cluster.api.stored({ group, plural: 'featuredefinitions' });
  if (!known) throw new Error('not declared');
  cluster.api.seed(
    { group, plural: 'featuredefinitions' },
    { ...known, metadata: { ...known.metadata, generation }, status },
  );
}

test('previewChange() shows tasks, objects and consent, and writes nothing', async () => {
  const [cluster, feature] = withFeature({ state: 'On', transitions: 4 });
  const revision = cluster.api.revision;
  const preview = await previewChange(cluster.kube, feature, 'Off');
  expect(preview).toMatchObject({
    change: 'begin',
    mode: 'Dynamic',
    cleanup: 'Manual',
    needsConsent: true,
    rollouts: 0,
  });
  expect(preview.tasks.map(({ name }) => name).join(' ')).toBe(
    'CheckDependents InstallGuard Publish WaitForUses ClearField VerifyClean',
  );
  expect(preview.inUse).toMatchObject({ count: 3, complete: true });
  expect(preview.objects).toMatchObject([{ task: 'ClearField', count: 3 }]);
  expect(cluster.api.revision).toBe(revision);

  const later = withFeature({ state: 'On', transitions: 5 });
  expect((await previewChange(later[0].kube, later[1], 'Off')).plan).not.toBe(preview.plan);
});

test('previewChange() counts the workloads whose pods would be replaced', async () => {
  const path = 'spec.template.spec.hostUsers';
  const [cluster, feature] = withFeature({ state: 'On' }, { references: [{ ...field, path }] });
  for (const set of cluster.statefulSets().slice(0, 2)) {
    const spec = { ...set.spec, template: { spec: { hostUsers: false } } };
    cluster.api.seed({ group: 'apps', plural: 'statefulsets' }, { ...set, spec });
  }
  expect((await previewChange(cluster.kube, feature, 'Off')).rollouts).toBe(2);
});

// why | definition | status | to
const refusals: [string, Partial<FeatureDefinitionSpec> | false, FeatureStatus, 'On' | 'Off'][] = [
  ['NoDefinition', false, { state: 'On' }, 'Off'],
  ['DisableUnsupported', { disable: 'Unsupported' }, { state: 'On' }, 'Off'],
  ['Locked', {}, { state: 'On', effective: { stage: 'GA', default: true, locked: true } }, 'Off'],
];
test.each(refusals)(
  'requestChange() refuses with %s before anything is written',
  async (reason, declared, status, to) => {
    const [cluster, feature] = withFeature(status, declared);
    const revision = cluster.api.revision;
    const preview = await previewChange(cluster.kube, feature, to);
    await expect(requestChange(cluster.kube, preview, { consent: true })).rejects.toMatchObject({ reason });
    expect(cluster.api.revision).toBe(revision);
  },
);

test('requestChange() writes consent only where it was given and is needed', async () => {
  const [cluster, feature] = withFeature({ state: 'On' });
  const off = await previewChange(cluster.kube, feature, 'Off');
  const without = await requestChange(cluster.kube, off, { consent: false });
  expect(without.spec).toEqual({ gate: 'Widgets', desired: 'Off', mode: 'Dynamic' });
  const given = await asIfServed(cluster, () => requestChange(cluster.kube, off, { consent: true }));
  const { plan, objects } = off;
  const expires = new Date(cluster.clock.now() + 3_600_000).toISOString();
  expect(given.spec.consent).toEqual({ plan, definition: expect.stringMatching(/^uid-\d+\/1$/), objects, expires });
});

const unmet = {
  type: 'Accepted',
  status: 'False',
  observedGeneration: 1,
  reason: 'Definition',
  message: 'no such path',
};
// what is in the way | what happens before consent is given | message | what to do
const blockers: [string, (cluster: TestCluster) => unknown, RegExp, string][] = [
  ['no server', () => {}, /no feature server runs/, 'slipway run feature-server'],
  ['a paused Feature', (c) => seedFeature(c, { paused: true }), /it is paused/, 'slipway feature resume Widgets'],
  ['a definition that is not accepted', (c) => seedDefinition(c, { conditions: [unmet] }), /no such path/, 'edit'],
  ['an unchecked definition', (c) => seedDefinition(c, {}), /checked its definition yet/, 'get'],
  ['a definition that was edited', (c) => seedDefinition(c, accepted, 2), /has changed since it was shown/, 'get'],
  ['a deleted definition', (c) => c.kube.resource(FeatureDefinition).delete(widgets), /was deleted/, 'create'],
];
test.each(blockers)('consent is refused because of %s, and nothing is written', async (what, prepare, message, fix) => {
  const [cluster] = withFeature({ state: 'On' });
  const feature = async () => cluster.kube.resource(Feature).get(widgets);
  const before = await previewChange(cluster.kube, await feature(), 'Off');
  await prepare(cluster);
  const preview = { ...before, feature: await feature() };
  const request = () => requestChange(cluster.kube, preview, { consent: true });
  const refused = what === 'no server' ? request() : asIfServed(cluster, request);
  await expect(refused).rejects.toMatchObject({
    reason: 'CannotRun',
    message: expect.stringMatching(message),
    fix: expect.stringContaining(fix),
  });
  expect((await feature()).spec).not.toHaveProperty('consent');
  expect((await feature()).spec).not.toHaveProperty('desired');
});

test('requestChange() fails when the Feature is gone', async () => {
  const [cluster, feature] = withFeature({ state: 'On' });
  const preview = await previewChange(cluster.kube, feature, 'Off');
  const client = cluster.kube.resource(Feature);
  await client.delete({ name: 'widgets', namespace: 'kube-system' });
  const request = () => requestChange(cluster.kube, preview, { consent: true });
  await expect(asIfServed(cluster, request)).rejects.toThrow(StatusError);
});

test('approveTransition() agrees to what waits for consent, and to nothing else', async () => {
  const task = {
    ...{ name: 'ClearField', kind: 'ClearField', argsDigest: '', phase: 'Blocked' as const },
    ...{ destructive: true, args: field },
  };
  const transition = (reason: string): FeatureStatus => ({
    state: 'TurningOff',
    transition: {
      ...{ id: '7-abcd', seq: 1, to: 'Off', cause: '', startedAt: '', plan: 'x', completed: [] },
      tasks: [{ ...task, reason }],
    },
  });
  const [cluster, waiting] = withFeature(transition('NeedsApproval'));
  const shown = await previewApproval(cluster.kube, waiting);
  const approved = await asIfServed(cluster, () => approveTransition(cluster.kube, shown));
  expect(approved.spec.consent).toMatchObject({ plan: 'x', objects: [{ task: 'ClearField', count: 3 }] });
  const [other, refused] = withFeature(transition('Refused'));
  await expect(previewApproval(other.kube, refused)).rejects.toMatchObject({ reason: 'NothingToApprove' });
});

test('findFeature() takes any letter case, and looks in kube-system first', async () => {
  const [cluster] = withFeature({ state: 'On' });
  const metadata = { name: 'widgets', namespace: 'acme' };
  cluster.api.seed({ group, plural: 'features' }, { apiVersion, kind: 'Feature', metadata, spec: { gate: 'Widgets' } });
  const namespaceOf = async (where?: string) => (await findFeature(cluster.kube, 'WIDGETS', where))?.metadata.namespace;
  expect([await namespaceOf(), await namespaceOf('acme'), await namespaceOf('none')]).toEqual([
    'kube-system',
    'acme',
    undefined,
  ]);
  await cluster.kube.resource(Feature).delete({ name: 'widgets', namespace: 'kube-system' });
  expect(await namespaceOf()).toBe('acme');
});

test('listUses() names every process with its value, those that do not know the gate last', async () => {
  const cluster = aCluster();
  cluster.processes(
    { component: 'a', instance: 'one', gate: 'Other', value: true, pinned: false },
    { component: 'b', instance: 'two', gate: 'Widgets', value: true, pinned: true },
    { component: 'b', instance: 'one', gate: 'Widgets', value: false, pinned: false },
  );
  await cluster.until(() => cluster.api.stored({ group, plural: 'featureuses' }).length === 3);
  const uses = await listUses(cluster.kube, 'kube-system', 'Widgets');
  expect(uses.map(({ process, value, set }) => `${process} ${value} ${set}`)).toEqual([
    'b.one off false',
    'b.two on true',
    'a.one unregistered false',
  ]);
});

test('isNotInstalled() tells a missing kind from a missing object', () => {
  const status = failureStatus({ code: 404, reason: 'NotFound' });
  expect(isNotInstalled(new StatusError(status))).toBe(true);
  expect(isNotInstalled(new StatusError({ ...status, details: { name: 'widgets' } }))).toBe(false);
  expect(isNotInstalled(new Error('away'))).toBe(false);
});

test.each(['On', 'TurningOn', 'TurningOff', 'Unknown'] as const)(
  'previewClean() and requestRetry() refuse a feature that is %s and has no task at work',
  async (state) => {
    const { kube } = aCluster();
    const metadata = { name: 'widgets', namespace: 'acme' };
    const feature: Feature = { apiVersion, kind: 'Feature', metadata, spec: { gate: 'Widgets' }, status: { state } };
    await expect(previewClean(kube, feature)).rejects.toMatchObject({ reason: 'NothingToClean' });
    await expect(requestRetry(kube, feature)).rejects.toMatchObject({ reason: 'NothingToRetry' });
  },
);
