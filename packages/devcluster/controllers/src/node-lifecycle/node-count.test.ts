import type { Change } from '@slipway/kube';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NodeCount } from './node-count.js';

test('NodeCount counts what there is after any changes, and what was written before it is seen', () => {
  const change = fc.record({
    type: fc.constantFrom('added', 'updated', 'deleted', 'written'),
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    ready: fc.constantFrom('True', 'False', 'Unknown', undefined),
  });
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      let tell = (_: Change<Node>) => {};
      const onChange = (handler: typeof tell) => {
        tell = handler;
        return { close() {} };
      };
      const count = new NodeCount({ onChange });
      const nodes = new Map<string, Node>();
      for (const { type, name, ready } of changes) {
        const conditions = ready === undefined ? [] : [{ type: 'Ready', status: ready }];
        const object = { metadata: { name }, status: { conditions } } as unknown as Node;
        if (type === 'deleted') nodes.delete(name);
        else nodes.set(name, object);
        if (type === 'written') count.look(object);
        else tell({ type: type as Change<Node>['type'], object });
      }
      const ready = [...nodes.values()].filter(({ status }) => status?.conditions?.[0]?.status === 'True');
      expect([count.total, count.ready]).toEqual([nodes.size, ready.length]);
    }),
  );
});
