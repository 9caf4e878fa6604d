import { type Cluster, startCluster } from '@slipway/devcluster';
import { type Feature, type GuardPolicy, guardsOf, type Reference } from '@slipway/features';
import { type Kube, type KubeObject, StatusError, silentLog } from '@slipway/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';

// The guards that features makes, judged by an API server: neither package may know the other.

let cluster: Cluster;
let kube: Kube;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 0, log: silentLog });
  kube = cluster.kube();
});
afterAll(() => cluster.stop());

const pods = { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true };
const aPod = (spec: object): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'default', labels: { tier: 'gold' } },
  spec: { containers: [{ name: 'main', image: 'a' }], automountServiceAccountToken: false, ...spec },
});
const scratch = (name: string) => ({ name, emptyDir: {} });
const settings = (name: string) => ({ name, configMap: { name: 'a' } });

const volumes: Reference = { group: '', resource: 'pods', path: 'spec.volumes[*].emptyDir' };
const host: Reference = { group: '', resource: 'pods', path: 'spec.hostname' };
const match = (values: readonly string[]) => [{ path: 'metadata.labels["tier"]', operator: 'In', values }] as const;
const grace = (seconds: number) => ({ terminationGracePeriodSeconds: seconds });

// what | reference | ratchet | before (undefined: create) | after | let in
const cases: [string, Reference, GuardPolicy['ratchet'], object | undefined, object, boolean][] = [
  ['a new object without the field', host, 'InUse', undefined, {}, true],
  ['a new object with the field', host, 'InUse', undefined, { hostname: 'a' }, false],
  ['a new object with an item', volumes, 'InUse', undefined, { volumes: [settings('c'), scratch('s')] }, false],
  ['a new object with another item', volumes, 'InUse', undefined, { volumes: [settings('c')] }, true],
  ['an object that has the item', volumes, 'InUse', { volumes: [scratch('s')] }, { volumes: [scratch('s')] }, true],
  [
    'an item by its name',
    { ...volumes, path: 'spec.volumes[name=s]' },
    'InUse',
    undefined,
    { volumes: [scratch('s')] },
    false,
  ],
  [
    'an item of another name',
    { ...volumes, path: 'spec.volumes[name=s]' },
    'InUse',
    undefined,
    { volumes: [scratch('t')] },
    true,
  ],
  ['an object the match is about', { ...host, match: match(['gold']) }, 'InUse', undefined, { hostname: 'a' }, false],
  ['an object the match is not about', { ...host, match: match(['tin']) }, 'InUse', undefined, { hostname: 'a' }, true],
  [
    'another value of the field',
    pathOf('spec.activeDeadlineSeconds'),
    'InUse',
    { activeDeadlineSeconds: 9 },
    { activeDeadlineSeconds: 8 },
    true,
  ],
  [
    'another value, unchanged only',
    pathOf('spec.activeDeadlineSeconds'),
    'Unchanged',
    { activeDeadlineSeconds: 9 },
    { activeDeadlineSeconds: 8 },
    false,
  ],
  [
    'the same value, unchanged only',
    pathOf('spec.activeDeadlineSeconds'),
    'Unchanged',
    { activeDeadlineSeconds: 9 },
    { activeDeadlineSeconds: 9 },
    true,
  ],
  ['the first use on update', pathOf('spec.activeDeadlineSeconds'), 'InUse', {}, { activeDeadlineSeconds: 8 }, false],
  ['a key with a dash', pathOf('metadata.labels["app-name"]'), 'InUse', undefined, {}, true],
  ['a new label', pathOf('metadata.labels["tier"]'), 'InUse', undefined, {}, false],
  ['a new object where all are uses', { group: '', resource: 'pods', kind: 'Object' }, 'InUse', undefined, {}, false],
  ['an old object where all are uses', { group: '', resource: 'pods', kind: 'Object' }, 'InUse', {}, grace(30), true],
];
test.each(cases)(
  'the guard of a feature lets in or refuses %s',
  async (_what, reference, ratchet, before, after, letIn) => {
    const client = kube.resource(pods);
    const written = before && (await client.create(aPod(before)));
    const removeGuards = await guarded(reference, ratchet ? { ratchet } : {});
    try {
      const spec = { ...written?.spec, ...after };
      const write = written
        ? client.replace({ ...written, metadata: { name: 'a', namespace: 'default' }, spec }, { dryRun: true })
        : client.create(aPod(after), { dryRun: true });
      const refusal = await write.then(
        () => undefined,
        (error: unknown) => error,
      );
      if (letIn) expect(refusal).toBeUndefined();
      else {
        expect(refusal).toBeInstanceOf(StatusError);
        expect((refusal as Error).message).toContain('while the feature Widgets is off or being turned off');
      }
    } finally {
      await removeGuards();
      if (written) await client.delete({ name: 'a', namespace: 'default' }, { gracePeriodSeconds: 0 });
    }
  },
);

test('a stripping guard takes the field out of what is written, and a warning one lets it in', async () => {
  const client = kube.resource(pods);
  const stripping = await guarded(host, { mode: 'Strip' });
  expect((await client.create(aPod({ hostname: 'a' }), { dryRun: true })).spec.hostname).toBeUndefined();
  await stripping();
  const warning = await guarded(host, { mode: 'Warn' });
  expect((await client.create(aPod({ hostname: 'a' }), { dryRun: true })).spec.hostname).toBe('a');
  await warning();
});

function pathOf(path: string): Reference {
  return { group: '', resource: 'pods', path };
}

/** Puts the guards of a reference into force. Resolves with what takes them away again. */
async function guarded(reference: Reference, guard: GuardPolicy): Promise<() => Promise<void>> {
  const feature: Feature = {
    apiVersion: 'features.slipway.dev/v1alpha1',
    kind: 'Feature',
    metadata: { name: 'widgets', namespace: 'acme' },
    spec: { gate: 'Widgets', guard },
  };
  const discovery = await kube.discover();
  const mutating = discovery.find({ group: 'admissionregistration.k8s.io', kind: 'MutatingAdmissionPolicy' })?.version;
  const served = { validating: true, ...(mutating !== undefined && { mutating }) };
  const definition = { gate: 'Widgets', scope: 'Cluster', components: [], references: [reference] } as const;
  const { guards } = guardsOf(feature, definition, served);
  for (const { policyKind, policy, bindingKind, binding } of guards) {
    await kube.resource(policyKind).create(policy);
    await kube.resource(bindingKind).create(binding);
  }
  return async () => {
    for (const { policyKind, policy, bindingKind } of guards) {
      const ref = { name: policy.metadata.name ?? '' };
      await kube.resource(bindingKind).delete(ref);
      await kube.resource(policyKind).delete(ref);
    }
  };
}
