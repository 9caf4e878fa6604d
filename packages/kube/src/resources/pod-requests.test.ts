import { expect, test } from 'vitest';
import { podRequests } from './pod-requests.js';
import { formatQuantity } from './quantity.js';

const container = (cpu?: string, memory?: string, restartPolicy?: string) => ({
  resources: { requests: { ...(cpu ? { cpu } : {}), ...(memory ? { memory } : {}) } },
  ...(restartPolicy ? { restartPolicy } : {}),
});
const sidecar = (cpu: string) => container(cpu, undefined, 'Always');

// pod | spec | what it takes
const pods: [string, Record<string, unknown>, Record<string, string>][] = [
  ['without requests', { containers: [{}] }, {}],
  [
    'with containers',
    { containers: [container('100m', '1Gi'), container('1', '512Mi')] },
    { cpu: '1100m', memory: '1536Mi' },
  ],
  [
    'with a small init container',
    { initContainers: [container('50m')], containers: [container('100m')] },
    { cpu: '100m' },
  ],
  [
    'with large init containers',
    { initContainers: [container('2'), container('3', '1Gi')], containers: [container('1')] },
    { cpu: '3', memory: '1Gi' },
  ],
  ['with a sidecar', { initContainers: [sidecar('200m')], containers: [container('1')] }, { cpu: '1200m' }],
  [
    'with an init container after a sidecar',
    { initContainers: [sidecar('500m'), container('1')], containers: [container('200m')] },
    { cpu: '1500m' },
  ],
  [
    'with an init container before a sidecar',
    { initContainers: [container('1'), sidecar('500m')], containers: [container('200m')] },
    { cpu: '1' },
  ],
  [
    'with two sidecars around an init container',
    { initContainers: [sidecar('1'), container('3'), sidecar('2')], containers: [container('1')] },
    { cpu: '4' },
  ],
  [
    'with overhead',
    { containers: [container('1')], overhead: { cpu: '250m', memory: '64Mi' } },
    { cpu: '1250m', memory: '64Mi' },
  ],
  [
    'that asks as a whole',
    {
      containers: [container('1', '1Gi')],
      resources: { requests: { cpu: '500m', 'example.com/gpu': '1' } },
      overhead: { cpu: '100m' },
    },
    { cpu: '600m', memory: '1Gi' },
  ],
];

test.each(pods)('podRequests() of a pod %s', (_, spec, expected) => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec };
  const texts = Object.entries(podRequests(pod)).map(([name, amount]) => [name, formatQuantity(amount)]);
  expect(Object.fromEntries(texts)).toEqual(expected);
});
