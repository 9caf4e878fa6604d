import { findCondition, type KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import { Feature } from '../api/feature.js';
import { FeatureDefinition } from '../api/feature-definition.js';
import { apiVersion } from '../api/group.js';
import { custom, defineFeature } from '../catalogue/define-feature.js';
import { maxUnavailableStatefulSet } from '../catalogue/max-unavailable-stateful-set.js';
import { previewApproval, previewChange } from '../operations/preview-change.js';
import { approveTransition, requestChange } from '../operations/request-change.js';
import { restoreBackup } from '../operations/restore.js';
import { aCluster, type SimulatedProcess, type TestCluster } from '../testing/a-cluster.js';
import { serve } from '../testing/serve.js';

const gate = 'MaxUnavailableStatefulSet';
const name = gate.toLowerCase();
const ref = { name, namespace: 'kube-system' };

function processes(): SimulatedProcess[] {
  return ['kube-apiserver', 'kube-controller-manager'].map((component) => ({
    component,
    instance: 'one',
    gate,
    value: false,
    pinned: false,
  }));
}

const serveOn = (cluster: TestCluster, options: Parameters<typeof serve>[1] = {}) =>
  serve(cluster.client(), { definitions: [maxUnavailableStatefulSet({ dynamic: 'Live' })], ...options });

async function turn(cluster: TestCluster, to: 'On' | 'Off', consent = true) {
  const feature = cluster.feature(name);
  if (!feature) throw new Error('not announced');
  await requestChange(cluster.kube, await previewChange(cluster.kube, feature, to), { consent });
}

const stateIs = (cluster: TestCluster, state: string) => () => cluster.feature(name)?.status?.state === state;
const users = (cluster: TestCluster) =>
  cluster.statefulSets().filter((set) => set.spec.updateStrategy.rollingUpdate.maxUnavailable !== undefined).length;

test('featureServer() takes a feature on, off and on again, and no old value comes back', async () => {
  const cluster = aCluster({ sets: 12, users: 5 });
  const both = processes();
  cluster.processes(...both);
  const stop = serveOn(cluster);
  await cluster.until(stateIs(cluster, 'Off'));
  expect(cluster.feature(name)?.status?.dangling?.count).toBe(5);

  await turn(cluster, 'On');
  await cluster.until(stateIs(cluster, 'On'));
  expect(both.map(({ value }) => value)).toEqual([true, true]);

  await turn(cluster, 'Off');
  await cluster.until(stateIs(cluster, 'Off'));
  const { status } = cluster.feature(name) as Feature;
  expect(status?.dangling).toMatchObject({ count: 0, complete: true });
  expect(status?.summary).toMatchObject({ state: 'Off', configured: 'false (spec)', uses: '2/2 off', dangling: '0' });
  expect(users(cluster)).toBe(0);
  const untouched = cluster.statefulSets().filter(({ metadata }) => metadata.generation === 1);
  expect(untouched).toHaveLength(7);

  await turn(cluster, 'On');
  await cluster.until(stateIs(cluster, 'On'));
  expect(users(cluster)).toBe(0);

  const transition = status?.history?.[0]?.id ?? '';
  const restored = await restoreBackup(cluster.kube, { namespace: 'kube-system', feature: name, transition });
  expect(restored).toMatchObject({ total: 5, restored: 5, present: 0, gone: 0, left: [] });
  expect(users(cluster)).toBe(5);
  await stop();
});

test('featureServer() stays TurningOff while a process keeps the old value, and says who and why', async () => {
  const cluster = aCluster({ sets: 3, users: 1 });
  const [apiServer, manager] = processes() as [SimulatedProcess, SimulatedProcess];
  cluster.processes(apiServer, manager);
  const stop = serveOn(cluster);
  await cluster.until(stateIs(cluster, 'Off'));
  await turn(cluster, 'On');
  await cluster.until(stateIs(cluster, 'On'));

  manager.pinned = true;
  await cluster.clock.advance(100);
  await turn(cluster, 'Off');
  await cluster.until(() => !apiServer.value);
  await expect(cluster.until(stateIs(cluster, 'Off'), 20_000)).rejects.toThrow('not so');
  const waiting = cluster.feature(name)?.status?.transition?.tasks[0];
  expect(waiting).toMatchObject({ name: 'WaitForUses', reason: 'OldValueInUse' });
  expect(waiting?.message).toContain('kube-controller-manager.one (on, ExplicitFlag). ExplicitFlag: remove');
  expect(users(cluster)).toBe(1);

  manager.pinned = false;
  await cluster.until(stateIs(cluster, 'Off'));
  expect(users(cluster)).toBe(0);
  await stop();
});

test('featureServer() waits for consent before it changes objects, and takes consent to what is left', async () => {
  const cluster = aCluster({ sets: 3, users: 2 });
  cluster.processes(...processes());
  const stop = serveOn(cluster);
  await cluster.until(stateIs(cluster, 'Off'));
  await turn(cluster, 'On');
  await cluster.until(stateIs(cluster, 'On'));
  await turn(cluster, 'Off', false);
  await cluster.until(() => cluster.feature(name)?.status?.summary?.blocked === 'NeedsApproval');
  expect(users(cluster)).toBe(2);
  const shown = await previewApproval(cluster.kube, cluster.feature(name) as Feature);
  expect(shown.objects).toMatchObject([{ task: 'ClearField', count: 2 }]);
  await approveTransition(cluster.kube, shown);
  await cluster.until(stateIs(cluster, 'Off'));
  expect(users(cluster)).toBe(0);
  await stop();
});

test('featureServer() I10: two servers at once end where one ends, and no task is recorded twice', async () => {
  const cluster = aCluster({ sets: 12, users: 5 });
  cluster.processes(...processes());
  const stops = [0.2, 0.7].map((chance, index) =>
    serveOn(cluster, { identity: `server-${index}`, random: () => chance }),
  );
  await cluster.until(stateIs(cluster, 'Off'));
  await turn(cluster, 'On');
  await cluster.until(stateIs(cluster, 'On'));
  await turn(cluster, 'Off');
  await cluster.until(stateIs(cluster, 'Off'));
  const { status } = cluster.feature(name) as Feature;
  expect(users(cluster)).toBe(0);
  expect(status?.history?.map(({ to, result }) => `${to} ${result}`)).toEqual(['Off Completed', 'On Completed']);
  expect(status?.transitions).toBe(2);
  expect(cluster.statefulSets().map(({ metadata }) => metadata.generation)).toEqual([
    ...[2, 2, 2, 2, 2],
    ...[1, 1, 1, 1, 1, 1, 1],
  ]);
  for (const stop of stops) await stop();
});

test('featureServer() clears again what comes back meanwhile, and says who writes it when that does not help', async () => {
  const cluster = aCluster({ sets: 2, users: 1 });
  cluster.processes(...processes());
  // A tool of the user's writes the field again whenever it has been cleared.
  const again = (object: KubeObject) => ({
    ...object,
    metadata: {
      ...object.metadata,
      managedFields: [
        {
          manager: 'argocd-controller',
          fieldsV1: { 'f:spec': { 'f:updateStrategy': { 'f:rollingUpdate': { 'f:maxUnavailable': {} } } } },
        },
      ],
    },
    spec: { ...object.spec, updateStrategy: { rollingUpdate: { maxUnavailable: 3 } } },
  });
  let insists = true;
  const stop = serveOn(cluster, {
    kube: cluster.client(({ method, path }) => {
      const [first] = cluster.statefulSets();
      const isCleared = first?.spec.updateStrategy.rollingUpdate.maxUnavailable === undefined;
      if (insists && isCleared && first && method === 'GET' && path.includes('/statefulsets?')) {
        cluster.api.seed({ group: 'apps', plural: 'statefulsets' }, again(first));
      }
    }),
  });
  await cluster.until(stateIs(cluster, 'Off'));
  await turn(cluster, 'On');
  await cluster.until(stateIs(cluster, 'On'));
  await cluster.kube.resource(Feature).merge(ref, { spec: { cleanup: 'Automatic' } });
  await turn(cluster, 'Off');
  await cluster.until(() => cluster.feature(name)?.status?.summary?.blocked === 'Reappearing');
  const { status } = cluster.feature(name) as Feature;
  expect(status?.transition?.loops).toBe(5);
  expect(status?.transition?.tasks[0]?.message).toContain('written by argocd-controller');
  insists = false;
  await cluster.kube.resource(Feature).merge(ref, { spec: { desired: 'On' } });
  await cluster.until(stateIs(cluster, 'On'));
  await stop();
});

test("featureServer() runs a third party's feature in its own namespace, with a task of its own", async () => {
  const cluster = aCluster();
  const done: string[] = [];
  const drain = custom('drain', async ({ to, idempotencyKey, checkpoint, save }) => {
    done.push(`${to} ${checkpoint ?? 'first'}`);
    if (checkpoint) return { phase: 'Done', objects: 3 };
    await save(idempotencyKey);
    return { phase: 'Running', message: 'connections are closing', retryAfterMs: 500 };
  });
  const fast = defineFeature({
    namespace: 'kube-system',
    gate: 'FastPath',
    components: ['operator'],
    dynamic: 'Live',
    cleanup: 'Automatic',
    dependsOn: ['MaxUnavailableStatefulSet'],
    tasks: { off: [drain] },
  });
  const operator = { component: 'operator', instance: 'one', gate: 'FastPath', value: true, pinned: false };
  cluster.processes(operator);
  const stop = serveOn(cluster, { definitions: [fast] });
  const fastIs = (state: string) => () => cluster.feature('fastpath')?.status?.state === state;
  await cluster.until(fastIs('On'));
  const change = await previewChange(cluster.kube, cluster.feature('fastpath') as Feature, 'Off');
  expect(change.needsConsent).toBe(false);
  await requestChange(cluster.kube, change, { consent: false });
  await cluster.until(fastIs('Off'));
  expect(done).toEqual(['Off first', `Off ${cluster.feature('fastpath')?.status?.history?.[0]?.id}/drain`]);

  // It needs a gate that is not on.
  await cluster.kube
    .resource(Feature)
    .merge({ ...ref, name: 'fastpath' }, { spec: { desired: 'On', mode: 'Dynamic' } });
  await cluster.until(() => cluster.feature('fastpath')?.status?.summary?.blocked === 'DependencyOff');
  expect(operator.value).toBe(false);
  await stop();
});

test('featureServer() says of a definition with an immutable path what is wrong, and does nothing for it', async () => {
  const cluster = aCluster();
  cluster.processes({ component: 'kubelet', instance: 'n1', gate: 'ImageVolume', value: true, pinned: false });
  const stop = serveOn(cluster);
  await cluster.until(() => cluster.feature('imagevolume')?.status?.state === 'On');
  const field = { group: '', resource: 'pods', path: 'spec.volumes[*].image' };
  await cluster.kube.resource(FeatureDefinition).create({
    apiVersion,
    kind: 'FeatureDefinition',
    metadata: { name: 'imagevolume', namespace: 'kube-system' },
    spec: {
      gate: 'ImageVolume',
      components: [{ name: 'kubelet', roster: 'Self' }],
      references: [field],
      tasks: { off: [{ kind: 'ClearField', args: field }] },
    },
  });
  await cluster.kube.resource(Feature).merge({ ...ref, name: 'imagevolume' }, { spec: { desired: 'Off' } });
  await cluster.until(() => cluster.feature('imagevolume')?.status?.summary?.blocked === 'Definition');
  const { status } = cluster.feature('imagevolume') as Feature;
  expect(status?.state).toBe('On');
  expect(findCondition(status?.conditions, 'Blocked')?.message).toContain('spec of pods is immutable');
  const [, definition] = cluster.api
    .stored({ group: 'features.slipway.dev', plural: 'featuredefinitions' })
    .toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? 1 : -1)) as FeatureDefinition[];
  expect(findCondition(definition?.status?.conditions, 'Accepted')).toMatchObject({
    status: 'False',
    reason: 'Definition',
  });
  await stop();
});

test('featureServer() announces every gate, freezes two that want one name, and shows undeclared ones as they are', async () => {
  const cluster = aCluster();
  cluster.processes(
    { component: 'a', instance: 'one', gate: 'Reported', value: true, pinned: false },
    { component: 'c', instance: 'one', gate: 'Twice', value: true, pinned: false },
    { component: 'b', instance: 'one', gate: 'TWICE', value: false, pinned: false },
  );
  const stop = serveOn(cluster);
  await cluster.until(() => cluster.feature('twice')?.status?.summary?.blocked !== undefined);
  await cluster.until(() => cluster.feature('reported')?.status?.state === 'On');
  const reported = cluster.feature('reported');
  expect(reported?.metadata.labels).toEqual({ 'features.slipway.dev/discovered': 'true' });
  expect(reported?.status?.summary).toMatchObject({ uses: '1/1 on', dangling: 'n/a' });
  expect(findCondition(reported?.status?.conditions, 'DanglingReferences')?.status).toBe('Unknown');
  await cluster.until(
    () => findCondition(cluster.feature('twice')?.status?.conditions, 'Known')?.reason === 'NameCollision',
  );

  const events = cluster.api.stored({ group: '', plural: 'events' });
  const announced = events.filter(({ reason }) => reason === 'FeatureAnnounced');
  expect(announced.map(({ involvedObject }) => involvedObject.name)).toEqual([ref.name]);

  await cluster.kube.resource(Feature).delete({ ...ref, name: 'reported' });
  await cluster.until(() => cluster.feature('reported')?.status?.state === 'On');
  await stop();
});
