import { expect, test } from 'vitest';
import type { NodeSize } from '../api/node-size.js';
import type { ObservedNode } from '../nodes/observed-node.js';
import { nothing } from '../planner/amounts.js';
import { nextOfNode } from './node-account.js';

const condition = (type: string, status: 'True' | 'False', message: string) =>
  ({ type, status, reason: 'Reason', message, lastTransitionTime: '2026-01-02T03:04:05Z' }) as const;
const largest = { pod: 'default/busy', amounts: { cpu: 3_000n, memory: 0n }, owner: '' };
const numbers = {
  hardware: nothing,
  allocatable: nothing,
  balloon: nothing,
  size: { cpu: 2_000n, memory: 4n * 1024n ** 3n },
  requested: nothing,
  free: { cpu: 1_000n, memory: 1024n ** 3n },
};

function observed(spec: NodeSize['spec'] | undefined, status: NodeSize['status'] = {}) {
  const size = spec && { metadata: { name: 'n1' }, spec, status };
  return { node: { name: 'n1' }, size, numbers } as unknown as ObservedNode;
}

const refused = (spec: NodeSize['spec']) =>
  observed(spec, {
    conditions: [condition('Ready', 'False', '1 cpu too much')],
    lastResize: { result: 'DoesNotFit' } as never,
  });

test.each<[string, ObservedNode, string, string | undefined]>([
  [
    'nothing manages',
    observed(undefined),
    'Nothing manages the node, so it is whole.',
    'slipway node size n1 --fraction 1/2',
  ],
  [
    'is being resized',
    observed({}, { resize: { phase: 'Observing' } as never }),
    'A resize is at work: Observing.',
    'slipway node explain n1',
  ],
  [
    'is degraded',
    observed({}, { conditions: [condition('Degraded', 'True', 'two balloons')] }),
    'Something is wrong: two balloons.',
    'slipway node list',
  ],
  [
    'has its size',
    observed({}, { conditions: [condition('Ready', 'True', '')] }),
    'It has the size it should: 2 cpu and 4Gi memory, of which 1 cpu and 1Gi memory are free.',
    undefined,
  ],
  ['is new', observed({}), 'It waits: No controller has looked at it yet.', 'slipway node size n1 --full'],
  [
    'is refused a size',
    refused({ mode: 'Size', size: { cpu: '2', memory: '16Gi' } }),
    'It waits: 1 cpu too much. Of its pods default/busy asks for most.',
    'slipway node size n1 --cpu 2 --memory 16Gi --best-effort',
  ],
  [
    'is refused a balloon',
    refused({ mode: 'Balloon', balloon: { memory: '16Gi' } }),
    'It waits: 1 cpu too much. Of its pods default/busy asks for most.',
    'slipway node size n1 --balloon-memory 16Gi --best-effort',
  ],
  [
    'is refused a part',
    refused({ mode: 'Size', fraction: '1/4' }),
    'It waits: 1 cpu too much. Of its pods default/busy asks for most.',
    'slipway node size n1 --fraction 1/4 --best-effort',
  ],
])('nextOfNode() of a node that %s', (_, node, why, command) => {
  expect(nextOfNode(node, [largest])).toEqual(command === undefined ? { why } : { why, command });
});
