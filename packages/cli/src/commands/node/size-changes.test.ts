import { nodeNumbers, nothing, type ObservedNode, parseAmounts, readNode } from '@slipway/balloons';
import { expect, test } from 'vitest';
import { changedSize, readChanges } from './size-changes.js';

const node = readNode({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1' },
  status: { allocatable: { cpu: '16', memory: '64Gi' } },
});

/** A node of 16 cores and 64Gi with so much for pods. */
function sized(cpu: string, memory: string): ObservedNode {
  const size = parseAmounts({ cpu, memory });
  const whole = nodeNumbers(node, undefined, nothing);
  const balloon = { cpu: whole.size.cpu - size.cpu, memory: whole.size.memory - size.memory };
  return {
    node,
    size: undefined,
    policy: undefined,
    balloon: undefined,
    pods: [],
    numbers: { ...whole, size, balloon },
  };
}

test.each([
  [['+2cpu'], { cpu: '6', memory: '16Gi' }],
  [['+2cpu', '-4Gi'], { cpu: '6', memory: '12Gi' }],
  [['-500mcpu', '-500mcpu'], { cpu: '3', memory: '16Gi' }],
  [['up'], { cpu: '8', memory: '32Gi' }],
  [['down'], { cpu: '2', memory: '8Gi' }],
])('a node of 4 cores and 16Gi after %j', (words, size) => {
  expect(changedSize(sized('4', '16Gi'), readChanges(words))).toEqual({ mode: 'Size', size });
});

test('what is whole and does not change stays whole', () => {
  expect(changedSize(sized('16', '65528Mi'), readChanges(['-4cpu']))).toEqual({ mode: 'Size', size: { cpu: '12' } });
});

test.each([['2cpu'], ['+cpu'], ['+1.2.3Gi'], ['-4Gx'], ['up', 'down']])('readChanges() refuses %j', (...words) => {
  expect(() => readChanges(words)).toThrow(/is not a change of a size/);
});

test('a change that would leave nothing is refused', () => {
  expect(() => changedSize(sized('4', '16Gi'), readChanges(['-4cpu']))).toThrow(/nothing would be left/);
});
