import { expect, test } from 'vitest';
import type { NodeSizeSpec } from '../api/node-size.js';
import { readNode } from '../nodes/node-view.js';
import { parseAmounts } from '../planner/amounts.js';
import { aBalloon } from '../testing/a-balloon.js';
import { anObservation, aSize } from '../testing/an-observation.js';
import type { Observation } from './observation.js';
import { isOverSize } from './plan-input.js';

const quarter: NodeSizeSpec = { mode: 'Size', size: { cpu: '4' } };
const reached = { id: '1-bcdf', result: 'Succeeded' } as never;

/** A node of 24 cores of which pods request 8 and 4 were declared. */
function observation(spec: NodeSizeSpec, history: readonly never[] = [reached], pod = aBalloon()): Observation {
  const amounts = { cpu: '24', memory: '64Gi' };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, status: { allocatable: amounts } };
  return anObservation({
    size: aSize(spec, { history }),
    node: readNode(node),
    pod,
    requested: parseAmounts({ cpu: '8' }),
  });
}

test.each<[string, Observation, boolean]>([
  ['pods request more than the size that was reached', observation(quarter), true],
  ['the size was never reached', observation(quarter, []), false],
  ['another spec reached its size', observation(quarter, [{ ...(reached as object), id: '0-bcdf' } as never]), false],
  ['the size is larger than the requests', observation({ mode: 'Size', size: { cpu: '9' } }), false],
  ['the spec accepts less', observation({ ...quarter, fit: 'BestEffort' }), false],
  ['the spec is paused', observation({ ...quarter, paused: true }), false],
  ['the spec wants no fences', observation({ ...quarter, fence: 'Never' }), false],
  ['another client resizes the balloon', observation({ mode: 'External' }), false],
  ['the balloon does not run', observation(quarter, [reached], aBalloon({ running: false })), false],
])('isOverSize() when %s', (_, given, expected) => {
  expect(isOverSize(given)).toBe(expected);
});
