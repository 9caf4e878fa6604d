import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { simulatedUsage } from './simulated-usage.js';

const requests = { cpu: '2', memory: '4Gi' };
const gib = 1024 ** 3;
const half = { milliCpu: 500, memoryBytes: 2 * gib };
const nothing = { milliCpu: 0, memoryBytes: 0 };

// image | annotation | usage
test.each<[string, string | undefined, object]>([
  ['nginx', undefined, half],
  ['registry.k8s.io/pause:3.10', undefined, nothing],
  ['pause', undefined, nothing],
  ['mirror.example:5000/k8s/pause:3.10', undefined, nothing],
  ['registry.k8s.io/pause@sha256:ab', undefined, nothing],
  ['registry.k8s.io/pause:3.10', 'memory=1Gi', { milliCpu: 0, memoryBytes: gib }],
  ['example.com/pause/web:1', undefined, half],
  ['pause:5000/web', undefined, half],
  ['not-pause:3', undefined, half],
  ['pause-detector', undefined, half],
])('simulatedUsage() of %s, annotated %s', (image, usage, expected) => {
  const pod = aPod('p', { spec: { containers: [{ name: 'main', image }] } });
  if (usage !== undefined) pod.metadata.annotations = { 'sim.slipway.dev/main.usage': usage };
  expect(simulatedUsage(pod, 'main', { requests })).toEqual(expected);
});
