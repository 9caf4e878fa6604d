import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { Pod, TopologySpreadConstraint } from '@slipway/kube-objects/kinds/api/pods';
import { aNode, aPod } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { demandOf } from '../demand/demand.js';
import { ClusterState } from './cluster-state.js';
import { SpreadCounts } from './spread-counts.js';

const zones = fc.constantFrom('x', 'y', undefined);
const names = fc.constantFrom('a', 'b', 'c', 'd');
const step = fc.oneof(
  fc.record({ kind: fc.constant('pod' as const), name: names, app: fc.constantFrom('web', 'db'), goes: fc.boolean() }),
  fc.record({ kind: fc.constant('pod gone' as const), at: fc.nat(9) }),
  fc.record({ kind: fc.constant('node' as const), name: names, zone: zones, rack: zones }),
  fc.record({ kind: fc.constant('node gone' as const), name: names }),
);

/** Pods that come one after the other: two of one workload, then two that count otherwise. */
const asking = [['web'], ['web'], ['db'], ['web', 'x']].map(([app = '', zone], index) => {
  const constraint = {
    maxSkew: 1,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app } },
  } as const;
  const topologySpreadConstraints: TopologySpreadConstraint[] = ['zone', 'rack'].map((topologyKey) => ({
    ...constraint,
    topologyKey,
  }));
  return aPod(`p${index}`, {
    spec: { containers: [], topologySpreadConstraints, ...(zone && { nodeSelector: { zone } }) },
  });
});

/** Counted as the documentation of topology spread constraints says: anew, and without a line in common. */
function naively(pod: Pod, key: string, nodes: readonly Node[], pods: readonly Pod[]): [string, number][] {
  const app = pod.spec.topologySpreadConstraints?.[0]?.labelSelector?.matchLabels?.app;
  const eligible = nodes.filter(({ metadata: { labels = {} } }) => {
    const isOpen = !pod.spec.nodeSelector || labels.zone === pod.spec.nodeSelector.zone;
    return isOpen && labels.zone !== undefined && labels.rack !== undefined;
  });
  const places = new Set(eligible.map(({ metadata }) => metadata.labels?.[key] ?? ''));
  return [...places].sort().map((place) => {
    const inPlace = eligible.filter(({ metadata }) => metadata.labels?.[key] === place);
    const there = (other: Pod) => inPlace.some(({ metadata }) => metadata.name === other.spec.nodeName);
    const counts = (other: Pod) => other.metadata.labels?.app === app && !other.metadata.deletionTimestamp;
    return [place, pods.filter((other) => counts(other) && there(other)).length];
  });
}

test('any story: what is kept from pod to pod is what one would count anew', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const state = new ClusterState();
      const kept = new SpreadCounts();
      const pods = new Map<string, Pod>();
      for (const [index, each] of steps.entries()) {
        if (each.kind === 'pod') {
          const metadata = {
            uid: `u${index}`,
            labels: { app: each.app },
            ...(each.goes && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
          };
          const pod = aPod(`on${index}`, { metadata, spec: { containers: [], nodeName: each.name } });
          pods.set(`u${index}`, pod);
          state.place(each.name, demandOf(pod));
        } else if (each.kind === 'pod gone') {
          const uid = [...pods.keys()][each.at] ?? '';
          pods.delete(uid);
          state.remove(uid);
        } else if (each.kind === 'node') {
          const labels = { ...(each.zone && { zone: each.zone }), ...(each.rack && { rack: each.rack }) };
          state.putNode(aNode(each.name, { labels, allocatable: {} }));
        } else state.removeNode(each.name);

        for (const pod of asking) {
          const demand = demandOf(pod);
          const counted = demand.mustSpread.map((rule) => [
            ...kept.of(demand, rule, demand.mustSpread).byPlace(state.nodes()),
          ]);
          const nodes = state.nodes().map(({ node }) => node);
          const expected = ['zone', 'rack'].map((key) => naively(pod, key, nodes, [...pods.values()]));
          expect(counted.map((places) => places.sort())).toEqual(expected);
        }
      }
    }),
  );
});

test('SpreadCounts.byPlace() keeps its answer as it was while the cluster goes on', () => {
  const state = new ClusterState();
  state.putNode(aNode('a', { labels: { zone: 'x', rack: 'r' }, allocatable: {} }));
  const [pod] = asking as [Pod];
  const demand = demandOf(pod);
  const counts = new SpreadCounts().of(demand, demand.mustSpread[0] as (typeof demand.mustSpread)[0], []);
  const before = counts.byPlace(state.nodes());
  state.place(
    'a',
    demandOf(aPod('on', { metadata: { labels: { app: 'web' } }, spec: { containers: [], nodeName: 'a' } })),
  );
  expect([...counts.byPlace(state.nodes())]).toEqual([['x', 1]]);
  expect([...before]).toEqual([['x', 0]]);
});
