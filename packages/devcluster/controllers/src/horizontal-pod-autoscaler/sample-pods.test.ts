import type { PodMetrics } from '@slipway/kube-objects/kinds/api/autoscalers';
import type { PodStatus } from '@slipway/kube-objects/kinds/api/pods';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { samplePods } from './sample-pods.js';

const nowMs = Date.parse('2026-01-01T01:00:00Z');
const at = (secondsAgo: number) => new Date(nowMs - secondsAgo * 1000).toISOString();
const status = (startedAgo: number, readyAgo: number, ready: 'True' | 'False' = 'True'): PodStatus => ({
  phase: 'Running',
  startTime: at(startedAgo),
  conditions: [{ type: 'Ready', status: ready, lastTransitionTime: at(readyAgo) }],
});
const spec = { containers: [{ name: 'main', resources: { requests: { cpu: '100m', memory: '1Mi' } } }] };
const measured = (name: string): PodMetrics => ({
  apiVersion: 'metrics.k8s.io/v1beta1',
  kind: 'PodMetrics',
  metadata: { name },
  timestamp: at(0),
  window: '10s',
  containers: [{ name: 'main', usage: { cpu: '250m', memory: '2Mi' } }],
});
const cpu = { resource: 'cpu', needsRequests: true };

// pod | state for cpu
const states: [string, PodStatus, string][] = [
  ['ready for long', status(3600, 3500), 'counted'],
  ['ready just now', status(60, 5), 'unready'],
  ['ready a while, started lately', status(60, 30), 'counted'],
  ['not ready, started lately', status(60, 30, 'False'), 'unready'],
  ['not ready any more', status(3600, 60, 'False'), 'counted'],
  ['never was ready', status(3600, 3590, 'False'), 'unready'],
  ['pending', { phase: 'Pending' }, 'unready'],
  ['failed', { phase: 'Failed' }, 'ignored'],
];

test.each(states)('samplePods(): a pod that is %s', (_, podStatus, state) => {
  const [sample] = samplePods([aPod('a', { spec, status: podStatus })], [measured('a')], cpu, nowMs);
  expect(sample).toMatchObject({ state, usageMilli: 250 });
});

test('samplePods() of memory looks at no readiness, and of one container at that one alone', () => {
  const unready = aPod('a', { spec, status: status(60, 30, 'False') });
  const [sample] = samplePods([unready], [measured('a')], { resource: 'memory', needsRequests: false }, nowMs);
  expect(sample).toEqual({ state: 'counted', usageMilli: 2 * 1024 * 1024 * 1000 });
  const [none] = samplePods([unready], [measured('a')], { ...cpu, container: 'side', needsRequests: false }, nowMs);
  expect(none).toEqual({ state: 'unready' });
});

test('samplePods() says what keeps it from measuring, in the words of Kubernetes', () => {
  const pod = aPod('a', { status: status(3600, 3500) });
  const none = 'unable to get metrics for resource cpu: no metrics returned from resource metrics API';
  expect(() => samplePods([pod], [], cpu, nowMs)).toThrow(none);
  expect(() => samplePods([], [measured('a')], cpu, nowMs)).toThrow('no pods returned by selector');
  expect(() => samplePods([pod], [measured('a')], cpu, nowMs)).toThrow(
    'missing request for cpu in container main of Pod a',
  );
});
