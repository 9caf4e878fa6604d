import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { evictionOrder } from './eviction-order.js';

/** `name/requested/used`, and a priority when it is not 0. */
function use(told: string) {
  const [name = '', requested, used, priority = '0'] = told.split('/');
  const pod = aPod(name, { spec: { containers: [], priority: Number(priority) } });
  return { pod, requestedBytes: Number(requested), usedBytes: Number(used) };
}

// K8: "node-pressure eviction order: usage over request, priority, overshoot; critical exempt". On the node | who goes, in order
const cases: [string, string, string][] = [
  ['who uses more than asked for goes first, whatever its priority', 'a/10/10 b/10/11/9', 'b a'],
  ['lower priority first', 'a/10/20/2 b/10/11/1', 'b a'],
  ['larger overshoot first', 'a/10/20 b/10/30', 'b a'],
  ['of those within their requests the one that uses most of it', 'a/100/10 b/20/10', 'b a'],
  ['critical pods stay', 'a/10/90/2000000000 b/10/11', 'b'],
];

test.each(cases)('evictionOrder(): %s', (_what, there, expected) => {
  const order = evictionOrder(there.split(' ').map(use));
  expect(order.map(({ pod }) => pod.metadata.name).join(' ')).toBe(expected);
});
