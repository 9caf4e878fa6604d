import type { NodeCondition } from '@slipway/kube-objects/kinds/api/nodes';
import { aNode } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { isAway, readiness, unknownConditions } from './node-conditions.js';

const longAgo = '2026-01-01T00:00:00Z';
const nowMs = Date.UTC(2026, 0, 2);
const condition = (type: string, status: NodeCondition['status']): NodeCondition => ({
  type,
  status,
  reason: 'Said',
  message: 'so',
  lastHeartbeatTime: longAgo,
  lastTransitionTime: longAgo,
});
const nodeWith = (...conditions: NodeCondition[]) => ({ ...aNode('n'), status: { conditions } });

test('unknownConditions() takes back what the kubelet said, and keeps what others said', () => {
  const node = nodeWith(condition('Ready', 'True'), condition('MemoryPressure', 'False'), condition('Mine', 'True'));
  const [ready, memory, mine, disk, pid] = unknownConditions(node, nowMs);
  const unknown = {
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastHeartbeatTime: longAgo,
    lastTransitionTime: '2026-01-02T00:00:00Z',
  };
  expect([ready, memory]).toEqual([
    { type: 'Ready', ...unknown },
    { type: 'MemoryPressure', ...unknown },
  ]);
  expect(mine).toEqual(condition('Mine', 'True'));
  const never = { status: 'Unknown', reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' };
  expect([disk, pid]).toMatchObject([
    { type: 'DiskPressure', ...never },
    { type: 'PIDPressure', ...never },
  ]);
});

test('unknownConditions() changes nothing the second time', () => {
  const once = unknownConditions(nodeWith(condition('Ready', 'True')), nowMs);
  expect(unknownConditions(nodeWith(...once), nowMs + 60_000)).toEqual(once);
});

test('readiness() and isAway() tell a node that never said anything from one that is not heard of any more', () => {
  const told = (...conditions: NodeCondition[]) => [
    readiness(nodeWith(...conditions)),
    isAway(nodeWith(...conditions)),
  ];
  expect(told()).toEqual([undefined, false]);
  expect(told(condition('Ready', 'True'))).toEqual(['True', false]);
  expect(told(condition('Ready', 'False'))).toEqual(['False', true]);
  expect(told(condition('Ready', 'Unknown'))).toEqual(['Unknown', true]);
});
