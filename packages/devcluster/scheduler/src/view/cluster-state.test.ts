import { aNode, aPod } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { demandOf } from '../demand/demand.js';
import { ClusterState } from './cluster-state.js';

const podAntiAffinity = {
  requiredDuringSchedulingIgnoredDuringExecution: [
    { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'a' } } },
  ],
};
const step = fc.record({
  what: fc.constantFrom('node comes', 'node goes', 'pod comes', 'pod with rules comes', 'pod goes'),
  node: fc.constantFrom('n1', 'n2', 'n3'),
  pod: fc.constantFrom('a', 'b', 'c', 'd'),
});

test('ClusterState.sociable() are the nodes on which pods have rules about others, whatever came and went', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (story) => {
      const state = new ClusterState();
      for (const { what, node, pod } of story) {
        if (what === 'node comes') state.putNode(aNode(node));
        if (what === 'node goes') state.removeNode(node);
        if (what === 'pod comes') state.place(node, demandOf(aPod(pod)));
        if (what === 'pod with rules comes') {
          state.place(node, demandOf(aPod(pod, { spec: { affinity: { podAntiAffinity } } })));
        }
        if (what === 'pod goes') state.remove(demandOf(aPod(pod)).uid);
        const withRules = state.nodes().filter(({ sociable }) => sociable.length > 0);
        expect(new Set(state.sociable())).toEqual(new Set(withRules));
      }
    }),
  );
});
