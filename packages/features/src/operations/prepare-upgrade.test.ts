import { expect, test } from 'vitest';
import type { CompletedTask, Feature, FeatureStatus, TaskStatus } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import { apiVersion, group } from '../api/group.js';
import { versionPlan } from '../lifecycle/version-tasks.js';
import { aCluster, asIfServed } from '../testing/a-cluster.js';
import { isPrepared, previewPreparations, requestPreparation } from './prepare-upgrade.js';

const way = { from: '1.34', to: '1.35' };
const definition: FeatureDefinitionSpec = {
  gate: 'Widgets',
  components: [{ name: 'kube-apiserver', roster: 'Self' }],
  references: [{ group: 'acme.io', resource: 'widgets', kind: 'Object' }],
  tasks: { upgrade: [{ ...way, kind: 'ClearCollection', args: { group: 'acme.io', resource: 'widgets' } }] },
};
const plan = versionPlan(definition, way, () => true);
const [task] = plan?.before ?? [];
const over: Partial<CompletedTask> = { ...task, at: '2026-01-01T00:00:00Z', seconds: 1 };
const completed = (end: Pick<CompletedTask, 'result' | 'objects'>) => [{ ...over, ...end } as CompletedTask];
const maintained = (done: readonly CompletedTask[], tasks: readonly TaskStatus[] = []): FeatureStatus => ({
  state: 'On',
  maintenance: { id: 'm', ...way, startedAt: '', plan: plan?.digest ?? '', tasks, completed: done },
});
const accepted = { type: 'Accepted', status: 'True', observedGeneration: 1, reason: 'Valid', message: '' };

/** The preparation of a feature with this status, in a cluster with so many objects. */
async function preparationOf(status: FeatureStatus, objects: number) {
  const cluster = aCluster();
  const metadata = { name: 'widgets', namespace: 'kube-system', generation: 1 };
  cluster.api.seed(
    { group, plural: 'featuredefinitions' },
    { apiVersion, kind: 'FeatureDefinition', metadata, spec: definition, status: { conditions: [accepted] } },
  );
  cluster.api.seed(
    { group, plural: 'features' },
    { apiVersion, kind: 'Feature', metadata, spec: { gate: 'Widgets' }, status },
  );
  for (let number = 0; number < objects; number++) {
    const kite = { name: `w${number}`, namespace: 'default' };
    cluster.api.seed(
      { group: 'acme.io', plural: 'widgets' },
      { apiVersion: 'acme.io/v1', kind: 'Widget', metadata: kite },
    );
  }
  const features = [cluster.feature('widgets') as Feature];
  const view = { ...way, features, definitions: new Map([['Widgets', definition]]) };
  const [preparation] = await previewPreparations(cluster.kube, view);
  if (!preparation) throw new Error('nothing to prepare');
  return { cluster, preparation };
}

// status | objects there | what the command says | whether it asks for the tasks anew
test.each<[string, FeatureStatus, number, string, boolean]>([
  ['never asked for', { state: 'On' }, 2, 'Open', false],
  ['under way', maintained([], [{ ...(task as TaskStatus), phase: 'Waiting' }]), 1, 'Open', false],
  ['done', maintained(completed({ result: 'Done', objects: 2 })), 0, 'Done', false],
  ['done, with new objects', maintained(completed({ result: 'Done', objects: 2 })), 1, 'Again', true],
  ['done, without anything to do', maintained(completed({ result: 'Skipped', objects: 0 })), 0, 'Done', false],
  ['skipped, because cleanup was Never', maintained(completed({ result: 'Skipped' })), 0, 'Again', true],
  ['waived', maintained(completed({ result: 'Waived' })), 0, 'Again', true],
])('what is %s is prepared accordingly', async (_what, status, objects, state, isAnew) => {
  const { cluster, preparation } = await preparationOf(status, objects);
  expect(preparation).toMatchObject({
    state,
    needsConsent: true,
    objects: [{ task: 'ClearCollection', count: objects }],
  });
  expect(preparation.request !== undefined).toBe(isAnew);
  expect(preparation.plan !== plan?.digest).toBe(isAnew);
  const { spec, ...feature } = await asIfServed(cluster, () => requestPreparation(cluster.kube, preparation));
  expect(spec).toMatchObject({ targetVersion: '1.35', consent: { plan: preparation.plan } });
  expect(isPrepared({ spec, ...feature }, preparation)).toBe(state === 'Done');
});

test('requestPreparation() refuses what cleanup: Never would skip', async () => {
  const { cluster, preparation } = await preparationOf({ state: 'On' }, 1);
  const { feature } = preparation;
  const never = { ...preparation, feature: { ...feature, spec: { ...feature.spec, cleanup: 'Never' as const } } };
  await expect(asIfServed(cluster, () => requestPreparation(cluster.kube, never))).rejects.toMatchObject({
    message: expect.stringContaining('would be skipped: ClearCollection'),
    fix: expect.stringContaining('"cleanup":"Manual"'),
  });
});

test('requestPreparation() rejects a feature in transition, and one without a server', async () => {
  const transition = {
    id: '1-a',
    seq: 1,
    to: 'Off' as const,
    cause: '',
    startedAt: '',
    plan: 'p',
    tasks: [],
    completed: [],
  };
  const { cluster, preparation } = await preparationOf({ state: 'TurningOff', transition }, 1);
  const request = () => requestPreparation(cluster.kube, preparation);
  await expect(request()).rejects.toMatchObject({
    reason: 'CannotRun',
    message: expect.stringContaining('no feature server'),
  });
  await expect(asIfServed(cluster, request)).rejects.toMatchObject({
    message: expect.stringContaining('on its way to Off'),
  });
  expect(cluster.feature('widgets')?.spec).toEqual({ gate: 'Widgets' });
});
