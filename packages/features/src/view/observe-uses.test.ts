import { vectorName } from '@slipway/feature-gates';
import { InformerFactory, Kube, type KubeObject, silentLog } from '@slipway/kube';
import { inMemoryApi, ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import type { ComponentDefinition } from '../api/feature-definition.js';
import { FeatureUse } from '../api/feature-use.js';
import { FeatureVector } from '../api/feature-vector.js';
import { apiVersion, group } from '../api/group.js';
import { Node } from '../references/core-resources.js';
import { ObservedUses, type UsesChange } from './observe-uses.js';
import { ReportedVectors } from './reported-vectors.js';

const namespace = 'acme';
const round = { epoch: 0, openedMs: 0, settleMs: 30_000 };

async function observing(maxReports = 100) {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  const kube = new Kube(api, { clock });
  const informers = new InformerFactory(kube, { log: silentLog, random: () => 0 });
  const vectors = new ReportedVectors({ kube, informers, log: silentLog, limitOf: () => maxReports });
  const uses = new ObservedUses({ informers, clock, log: silentLog, vectors, maxReports: () => maxReports });
  const changes: UsesChange[] = [];
  uses.onChange((_namespace, change) => void changes.push(change));
  const stopping = new AbortController();
  informers.start();
  void uses.watchExpiry(stopping.signal);
  await clock.advance(0);
  const report = async (instance: string, enabled: boolean, spec: Partial<FeatureUse['spec']> = {}) => {
    const component = spec.component ?? 'agent';
    const vector = {
      component,
      binaryVersion: '1.34.0',
      gates: [{ name: 'Widgets', enabled, stage: 'Beta' }],
    };
    const name = vectorName(vector);
    const ofVector = { apiVersion, kind: 'FeatureVector', metadata: { name, namespace }, spec: vector };
    const known = api.stored({ group, plural: 'featurevectors' }).some(({ metadata }) => metadata.name === name);
    if (!known) api.seed({ group, plural: 'featurevectors' }, ofVector);
    const renewTime = String(clock.monotonicMs());
    const more = { instance, incarnation: '1', source: 'Library', vector: name, renewTime, ...spec } as const;
    const metadata = { name: `${component}.${instance}`, namespace };
    const ofUse = { component, binaryVersion: '1.34.0', ...more };
    const isKnown = api.stored({ group, plural: 'featureuses' }).some((one) => one.metadata.name === metadata.name);
    if (isKnown) await kube.resource(FeatureUse).merge(metadata, { spec: ofUse });
    else api.seed({ group, plural: 'featureuses' }, { apiVersion, kind: 'FeatureUse', metadata, spec: ofUse });
    await clock.advance(0);
  };
  const ask = (component: Partial<ComponentDefinition>) => {
    const definition = { gate: 'Widgets', components: [{ name: 'agent', roster: 'Self' as const, ...component }] };
    return uses.count({
      namespace,
      gate: 'Widgets',
      definition,
      round,
      towards: 'Off',
      waivers: [],
      isPublished: true,
    });
  };
  /** `on off silent`, once it is known who should report. */
  const count = async (component: Partial<ComponentDefinition>) => {
    ask(component);
    await clock.advance(100);
    const { on, off, silent } = ask(component) ?? { on: -1, off: -1, silent: -1 };
    return `${on} ${off} ${silent}`;
  };
  const seed = async (plural: string, object: KubeObject, group = '') => {
    api.seed({ group, plural }, object);
    await clock.advance(0);
  };
  const stop = async () => {
    stopping.abort();
    await informers.stop();
  };
  return { clock, api, kube, uses, vectors, changes, report, ask, count, seed, stop };
}

const pod = (name: string, phase: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: { app: 'agent' } },
  spec: { nodeName: 'n1' },
  status: { phase },
});

const lease = (where: string, name: string, renewTime: string, holderIdentity = name): KubeObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace: where },
  spec: { holderIdentity, renewTime },
});
const leases = 'coordination.k8s.io';

test('ObservedUses expects what runs of the pods that a component selects, and misses it with its node', async () => {
  const { clock, report, count, seed, stop } = await observing();
  const agents = { roster: 'Pods', selector: 'app=agent' } as const;
  await seed('leases', lease('kube-node-lease', 'n1', '0'), leases);
  await seed('pods', pod('a', 'Running'));
  await seed('pods', pod('b', 'Pending'));
  await report('a', false);
  expect(await count(agents)).toBe('0 1 0');
  await seed('pods', pod('b', 'Running'));
  expect(await count(agents)).toBe('0 1 1');
  await report('b', true);
  expect(await count(agents)).toBe('1 1 0');
  await seed('pods', pod('b', 'Succeeded'));
  expect(await count(agents)).toBe('0 1 0');
  await clock.advance(50_000);
  expect(await count(agents)).toBe('0 0 1');
  await seed('leases', lease('kube-node-lease', 'n1', '1'), leases);
  await clock.advance(5_000);
  expect(await count(agents)).toBe('0 1 0');
  await stop();
});

test('ObservedUses takes the lease of a leader as the sign that it lives, and drops what a former host left', async () => {
  const { clock, report, count, seed, stop } = await observing();
  const manager = { roster: 'Leases', lease: 'manager' } as const;
  await seed('leases', lease(namespace, 'manager', '0', 'old-host_1'), leases);
  await seed('leases', lease(namespace, 'another', '0', 'somebody_1'), leases);
  expect(await count(manager)).toBe('0 0 1');
  await report('old-host', true);
  expect(await count(manager)).toBe('1 0 0');
  // The host was renamed and its process started anew; its old report was not deleted.
  await seed('leases', lease(namespace, 'manager', '1', 'new-host_2'), leases);
  expect(await count(manager)).toBe('1 0 1');
  await report('new-host', false);
  for (let renewed = 2; renewed < 60; renewed++) {
    await seed('leases', lease(namespace, 'manager', String(renewed), 'new-host_2'), leases);
    if (renewed % 20 === 0) await report('new-host', false);
    await clock.advance(20_000);
  }
  expect(await count(manager)).toBe('0 1 0');
  await stop();
});

// the node as its kubelet registers it
test.each<[string, object, object]>([
  ['address', { 'kubernetes.io/hostname': 'node-a' }, { addresses: [{ type: 'Hostname', address: 'host-1' }] }],
  ['label', { 'kubernetes.io/hostname': 'host-1' }, {}],
])(
  'ObservedUses knows a leader on a node whose name is not that of its host by its %s',
  async (_by, labels, status) => {
    const { report, count, seed, stop } = await observing();
    const manager = { roster: 'Leases', lease: 'manager', namespace: 'kube-system' } as const;
    await seed('nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node-a', labels } as KubeObject['metadata'],
      status,
    });
    await seed('leases', lease('kube-system', 'manager', '0', 'host-1_2'), leases);
    expect(await count(manager)).toBe('0 0 1');
    await report('node-a', false, { node: 'node-a', source: 'Metrics' });
    expect(await count(manager)).toBe('0 1 0');
    await stop();
  },
);

test('ObservedUses knows a leader on a managed control plane, on none of the nodes, to be out of reach of agents', async () => {
  const { ask, report, count, seed, stop } = await observing();
  const manager = { roster: 'Leases', lease: 'manager', namespace: 'kube-system' } as const;
  await seed('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'worker' } });
  await seed('leases', lease('kube-system', 'manager', '0', 'of-the-provider_2'), leases);
  expect(await count(manager)).toBe('0 0 1');
  expect(ask(manager)?.components[0]?.samples).toMatchObject([{ process: 'of-the-provider', cause: 'OutOfReach' }]);
  await report('of-the-provider', false);
  expect(await count(manager)).toBe('0 1 0');
  await stop();
});

test('ObservedUses tells heartbeats from news, misses who hangs, and sees it come back', async () => {
  const { clock, changes, report, count, stop } = await observing();
  await report('a', false);
  expect(await count({})).toBe('0 1 0');
  changes.length = 0;
  await clock.advance(300_000);
  await report('a', false);
  expect(changes).not.toContain('values');
  await clock.advance(905_000);
  expect(changes).toContain('values');
  expect(await count({})).toBe('0 0 1');
  // Back from its pause, with the value of long ago.
  await report('a', true);
  expect(await count({})).toBe('1 0 0');
  await stop();
});

test.each(['no report was ever made', 'all reports are gone'])(
  'ObservedUses counts the roster of a namespace anew when pods come and go after %s',
  async (when) => {
    const { changes, clock, kube, report, count, seed, stop } = await observing();
    const agents = { roster: 'Pods', selector: 'app=agent' } as const;
    await seed('leases', lease('kube-node-lease', 'n1', '0'), leases);
    await seed('pods', pod('a', 'Running'));
    if (when === 'all reports are gone') {
      await report('a', true);
      expect(await count(agents)).toBe('1 0 0');
      await kube.resource(FeatureUse).delete({ name: 'agent.a', namespace });
    }
    expect(await count(agents)).toBe('0 0 1');
    for (const [phase, silent] of [
      ['Running', 3],
      ['Succeeded', 1],
      ['Running', 3],
    ] as const) {
      changes.length = 0;
      for (const name of ['b', 'c']) await seed('pods', pod(name, phase));
      expect(await count(agents)).toBe(`0 0 ${silent}`);
      expect(changes).toContain('values');
    }
    changes.length = 0;
    await clock.advance(50_000);
    expect(changes).toContain('values');
    await stop();
  },
);

test('ObservedUses: who is deleted is gone', async () => {
  const { clock, kube, report, count, stop } = await observing();
  await report('a', true);
  expect(await count({})).toBe('1 0 0');
  await kube.resource(FeatureUse).delete({ name: 'agent.a', namespace });
  await clock.advance(0);
  expect(await count({})).toBe('0 0 0');
  await stop();
});

test('ObservedUses takes a program that has several components in it for each of them', async () => {
  const { report, count, seed, stop } = await observing();
  await seed('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
  await seed('leases', lease('kube-node-lease', 'n1', '0'), leases);
  await report('n1', true, { component: 'k3s-server', node: 'n1' });
  expect(await count({ name: 'kubelet', roster: 'Nodes' })).toBe('1 0 0');
  expect(await count({ name: 'kube-scheduler' })).toBe('1 0 0');
  expect(await count({ name: 'agent' })).toBe('0 0 0');
  await stop();
});

test('ObservedUses counts a kubelet without an agent by what its node declares, and no other component', async () => {
  const { kube, count, seed, stop } = await observing();
  const kubelet = { name: 'kubelet', roster: 'Nodes' } as const;
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } };
  await seed('nodes', { ...node, status: { declaredFeatures: ['Widgets'] } });
  await seed('leases', lease('kube-node-lease', 'n1', '0'), leases);
  expect(await count(kubelet)).toBe('1 0 0');
  expect(await count({ name: 'kube-proxy', roster: 'Nodes' })).toBe('0 0 1');
  await kube.resource(Node).mergeStatus({ name: 'n1' }, { status: { declaredFeatures: [] } });
  expect(await count(kubelet)).toBe('0 0 1');
  await stop();
});

test('ObservedUses counts as many reports of a namespace as its limit says; the others keep it from agreeing', async () => {
  const { clock, kube, uses, report, count, stop } = await observing(3);
  for (const instance of ['a', 'b', 'c']) await report(instance, false);
  expect(await count({})).toBe('0 3 0');
  for (const instance of ['d', 'e']) await report(instance, true);
  // What the others run is not known, so they are silent; those who came first stay.
  expect(await count({})).toBe('0 3 1');
  expect([...uses.overLimit()]).toEqual([[namespace, 2]]);
  expect(await count({ name: 'another' })).toBe('0 0 0');
  await report('a', false);
  expect(await count({})).toBe('0 3 1');
  for (const instance of ['a', 'b']) await kube.resource(FeatureUse).delete({ name: `agent.${instance}`, namespace });
  await clock.advance(0);
  expect(await count({})).toBe('2 1 0');
  expect(uses.overLimit().size).toBe(0);
  await stop();
});

test('ReportedVectors keeps the values of as many vectors as its limit says, and reads others when there is room', async () => {
  const { clock, kube, vectors, report, stop } = await observing(2);
  const versions = ['1.0.0', '1.0.1', '1.0.2'];
  for (const binaryVersion of versions) await report(binaryVersion, true, { component: binaryVersion });
  const names = vectors.refs(namespace).map(({ name }) => name);
  const known = () => names.map((name) => vectors.get({ name, namespace }) !== undefined);
  expect(known()).toEqual([true, true, false]);
  expect(names.map((name) => vectors.gatesOf(namespace, name)?.size)).toEqual([1, 1, undefined]);
  expect([...vectors.overLimit()]).toEqual([[namespace, 1]]);
  await kube.resource(FeatureVector).delete({ name: names[0] ?? '', namespace });
  await clock.advance(0);
  expect(known()).toEqual([false, true, true]);
  expect(vectors.gatesOf(namespace, names[2] ?? '')?.get('Widgets')?.enabled).toBe(true);
  expect(vectors.overLimit().size).toBe(0);
  await stop();
});
