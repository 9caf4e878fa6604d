import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { aNode, aPod } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DefaultSpread, type PodGroups } from './default-spread.js';
import { demandOf } from './demand/demand.js';
import { hostname, spreadScore, zone } from './scores/spread-score.js';
import { aView, outcome } from './testing/a-view.js';
import { ClusterState } from './view/cluster-state.js';
import { SpreadCounts } from './view/spread-counts.js';

const ofSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true };
const groups: PodGroups = {
  services: (namespace) => (namespace === 'default' ? [{ app: 'web' }, { tier: 'front' }] : []),
  workload: ({ kind, name, namespace }) =>
    `${kind} ${namespace}/${name}` === 'ReplicaSet default/web' ? { matchLabels: { hash: '1' } } : undefined,
};
let uid = 0;
const pod = (labels: Record<string, string>, more: Partial<Pod['metadata']> = {}, spec: object = {}) => {
  uid += 1;
  const made = aPod(`p${uid}`, { spec: { containers: [{ name: 'main', image: 'a' }], ...spec }, status: {} });
  return { ...made, metadata: { ...made.metadata, uid: `u${uid}`, labels, ...more } };
};

// what | pod | pods that its rules select, of: web, web of hash 1, front, other
const cases: [string, Pod, string][] = [
  ['a pod of no group', pod({ app: 'db' }), 'no rule'],
  ['a pod of a service', pod({ app: 'web' }), 'web, web 1'],
  ['a pod of two services', pod({ app: 'web', tier: 'front' }), ''],
  ['a pod of a workload', pod({ hash: '1' }, { ownerReferences: [ofSet] }), 'web 1'],
  ['a pod of both', pod({ app: 'web', hash: '1' }, { ownerReferences: [ofSet] }), 'web 1'],
  ['a pod whose workload is gone', pod({}, { ownerReferences: [{ ...ofSet, name: 'gone' }] }), 'no rule'],
  ['a pod of a job', pod({}, { ownerReferences: [{ ...ofSet, apiVersion: 'batch/v1', kind: 'Job' }] }), 'no rule'],
  ['a pod of another namespace', pod({ app: 'web' }, { namespace: 'x' }), 'no rule'],
];
test.each(cases)('DefaultSpread.rulesFor() %s', (_, asked, expected) => {
  const others: [string, Pod][] = [
    ['web', pod({ app: 'web' })],
    ['web 1', pod({ app: 'web', hash: '1' })],
    ['front', pod({ tier: 'front' })],
    ['other', pod({})],
  ];
  const rules = new DefaultSpread(groups).rulesFor(asked);
  const told = rules.map(({ topologyKey, maxSkew }) => `${topologyKey} ${maxSkew}`);
  expect(told).toEqual(expected === 'no rule' ? [] : [`${hostname} 3`, `${zone} 5`]);
  for (const { selects } of rules) {
    expect(others.filter(([, other]) => selects(other)).map(([name]) => name)).toEqual(
      expected.split(', ').filter(Boolean),
    );
  }
});

const node = (name: string, inZone?: string) =>
  aNode(name, {
    labels: { [hostname]: name, ...(inZone && { [zone]: inZone }) },
    allocatable: { cpu: '8', memory: '64Gi', pods: '110' },
  });
const on = (nodeName: string, labels = { app: 'web' }, requests = {}) =>
  pod(labels, {}, { nodeName, containers: [{ name: 'main', image: 'a', resources: { requests } }] });

// what | nodes | pods there | constraints of its own | where the pod goes
const placements: [string, string[], Pod[], object | undefined, string][] = [
  ['a node without one of its kind', ['a', 'b'], [on('a'), on('b', { app: 'db' }, { cpu: '2' })], undefined, 'b'],
  ['a zone with fewer of its kind', ['a/x', 'b/x', 'c/y'], [on('a'), on('a')], undefined, 'c'],
  [
    'where there is most room, as its own constraints ask for nothing more',
    ['a', 'b'],
    [on('a'), on('b', { app: 'db' }, { cpu: '2' })],
    { topologyKey: 'rack', maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' },
    'a',
  ],
];
test.each(placements)('a pod of a service goes to %s', (_, names, placed, own, expected) => {
  const spread = new DefaultSpread(groups);
  const nodes = names.map((each) => node(...(each.split('/') as [string, string?])));
  const asked = pod({ app: 'web' }, {}, own ? { topologySpreadConstraints: [own] } : {});
  const view = aView(nodes, placed, { defaultSpread: (each) => spread.rulesFor(each) });
  expect(outcome(asked, view)).toBe(expected);
});

test('where a pod goes never differs between counts that are kept and counts made anew, while pods come and go', () => {
  const step = fc.record({ comes: fc.boolean(), at: fc.nat(3), app: fc.constantFrom('web', 'db') });
  const spread = new DefaultSpread(groups);
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const state = new ClusterState();
      for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) state.putNode(node(name, index < 2 ? 'x' : 'y'));
      const kept = new SpreadCounts();
      const there: string[] = [];
      for (const { comes, at, app } of steps) {
        if (comes || there.length === 0) {
          const demand = demandOf(on('abcd'.charAt(at), { app }));
          state.place('abcd'.charAt(at), demand);
          there.push(demand.uid);
        } else state.remove(there.splice(at % there.length, 1)[0] ?? '');
        const rates = (spreadCounts: SpreadCounts) => {
          const defaultSpread = (each: Pod) => spread.rulesFor(each);
          const view = { ...aView([]), nodes: state.nodes(), defaultSpread, spreadCounts };
          return spreadScore.rate(demandOf(pod({ app: 'web' })), state.nodes(), view);
        };
        expect(rates(kept)).toEqual(rates(new SpreadCounts()));
      }
    }),
  );
});
