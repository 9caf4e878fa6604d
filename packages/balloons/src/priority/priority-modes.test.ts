import { describe, expect, test } from 'vitest';
import { type NodeView, readNode } from '../nodes/node-view.js';
import type { PodPriority } from '../pods/balloon-pod.js';
import { effectiveMode, mayPreemptWhenNew, politeClass, whyUnsafe } from './priority-modes.js';

const native: PodPriority = { className: 'system-balloon', value: 2_000_001_000, preemptionPolicy: 'Never' };
const polite: PodPriority = { className: 'slipway-balloon', value: 1_000_000_000, preemptionPolicy: 'Never' };
const critical: PodPriority = {
  className: 'system-node-critical',
  value: 2_000_001_000,
  preemptionPolicy: 'PreemptLowerPriority',
};

function node(kubeletVersion: string, strings: readonly string[] = []): NodeView {
  return readNode({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1' },
    spec: { podPreemptionPolicy: { disableResizePreemption: strings } },
    status: { nodeInfo: { kubeletVersion } },
  });
}

describe('"before every inflate: priority < 2e9, or (kubelet >= 1.37 and node field set)"', () => {
  test.each<[string, PodPriority, NodeView, string | undefined]>([
    ['the class of the proposal', native, node('v1.34.0'), undefined],
    ['Polite', polite, node('v1.33.0'), undefined],
    [
      'a class below that preempts',
      { ...polite, preemptionPolicy: undefined },
      node('v1.34.0'),
      'the balloon may preempt',
    ],
    ['critical up to 1.36', critical, node('v1.36.2', ['x']), 'kubelet v1.36.2 evicts pods'],
    ['critical and Never up to 1.36', { ...critical, preemptionPolicy: 'Never' }, node('v1.34.0'), 'evicts pods'],
    ['critical from 1.37 on', critical, node('v1.37.0'), 'node n1 does not keep balloons.slipway.dev/no-preempt'],
    ['critical from 1.37 on, on a node that preempts for no resize', critical, node('v1.37.0', ['x']), undefined],
  ])('%s', (_what, priority, where, why) => {
    if (why === undefined) expect(whyUnsafe(priority, where)).toBeUndefined();
    else expect(whyUnsafe(priority, where)).toContain(why);
  });
});

test('Auto is Native where there is such a class, else Polite; what is named is taken', () => {
  expect(effectiveMode('Auto', true)).toBe('Native');
  expect(effectiveMode('Auto', false)).toBe('Polite');
  expect(effectiveMode('Protected', true)).toBe('Protected');
});

test('the class of mode Polite is one that users may have', () => {
  expect(politeClass.value).toBe(1_000_000_000);
  expect(politeClass.metadata.name).not.toMatch(/^system-/);
});

test('a new pod is made small where it could preempt', () => {
  expect([native, polite, critical].map(mayPreemptWhenNew)).toEqual([false, false, true]);
});
