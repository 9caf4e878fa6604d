import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kubeletSettings, readKubeletSettings } from './read-kubelet-settings.js';

test('kubeletSettings() fills in what a kubelet would', () => {
  expect(kubeletSettings({ kind: 'KubeletConfiguration' })).toEqual({
    pullsAtOnce: 1,
    pullRate: { perSecond: 5, burst: 10 },
    policies: { swaps: false, staticCpu: false, staticMemory: false },
    reserved: [{}, {}],
    evictedBelow: {},
    maxPods: undefined,
    staticPods: [],
    warning: undefined,
  });
});

test('kubeletSettings() reads what is reserved and how the node deals out', () => {
  const settings = kubeletSettings({
    serializeImagePulls: false,
    maxParallelImagePulling: 3,
    systemReserved: { cpu: '500m' },
    kubeReserved: { memory: '1Gi' },
    evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '10%' },
    memorySwap: { swapBehavior: 'LimitedSwap' },
    cpuManagerPolicy: 'static',
    memoryManagerPolicy: 'Static',
    maxPods: 20,
  });
  expect(settings).toMatchObject({
    pullsAtOnce: 3,
    policies: { swaps: true, staticCpu: true, staticMemory: true },
    reserved: [{ cpu: '500m' }, { memory: '1Gi' }],
    evictedBelow: { memory: '100Mi' },
    maxPods: 20,
  });
});

// document | what is wrong with it
const cases: [unknown, string][] = [
  [[], 'the document is not a map'],
  [{ kind: 'Pod' }, 'is a Pod, not a KubeletConfiguration'],
  [{ apiVersion: 'v1' }, 'apiVersion is v1, not kubelet.config.k8s.io/v1beta1'],
  [
    { serializeImagePulls: true, maxParallelImagePulls: 3 },
    'maxParallelImagePulls above 1 needs serializeImagePulls false',
  ],
  [{ registryPullQPS: -1 }, 'registryPullQPS is -1, not a whole number from 0'],
  [{ systemReserved: { cpu: 'much' } }, 'systemReserved.cpu is "much", which is not an amount (try 500m or 1Gi)'],
  [{ maxPods: 'many' }, 'maxPods is "many", not a whole number from 0'],
];

test.each(cases)('kubeletSettings(%j) says what is wrong', (document, why) => {
  expect(() => kubeletSettings(document)).toThrow(why);
});

test('readKubeletSettings() says in which file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubelet-'));
  const path = join(folder, 'kubelet.yaml');
  writeFileSync(path, 'maxPods: -1');
  expect(() => readKubeletSettings(path)).toThrow(`${path}: maxPods is -1, not a whole number from 0`);
  rmSync(folder, { recursive: true });
  expect(() => readKubeletSettings(path)).toThrow(`${path}: ENOENT`);
});
