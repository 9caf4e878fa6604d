import type { DeviceTaint, DeviceToleration, ResourceSlice } from '@slipway/kube-objects/kinds/api/devices';
import { expect, test } from 'vitest';
import { evictionTime } from './device-eviction.js';

const addedMs = Date.parse('2026-11-20T12:00:00Z');
const timeAdded = '2026-11-20T12:00:00Z';
const broken: DeviceTaint = { key: 'broken', value: 'yes', effect: 'NoExecute', timeAdded };
const device = { request: 'r', driver: 'gpu.example.com', pool: 'p', device: 'a' };
const claim = (...tolerations: DeviceToleration[]) => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: {},
  spec: {},
  status: { allocation: { devices: { results: [{ ...device, tolerations }] } } },
});
const slice = (generation: number, name: string, ...taints: DeviceTaint[]): ResourceSlice => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: {},
  spec: {
    driver: 'gpu.example.com',
    pool: { name: 'p', generation, resourceSliceCount: 1 },
    devices: [{ name, taints }],
  },
});
const bears = (seconds?: number): DeviceToleration => ({
  operator: 'Exists',
  effect: 'NoExecute',
  ...(seconds !== undefined && { tolerationSeconds: seconds }),
});

// what | slices | tolerations | seconds after the taint
const cases: [string, ResourceSlice[], DeviceToleration[], number | undefined][] = [
  ['at once', [slice(1, 'a', broken)], [], 0],
  ['after as long as the taint is tolerated', [slice(1, 'a', broken)], [bears(300), bears(60)], 60],
  ['never when it is tolerated without a limit', [slice(1, 'a', broken)], [bears(60), bears()], undefined],
  [
    'at once when another effect is tolerated',
    [slice(1, 'a', broken)],
    [{ operator: 'Exists', effect: 'NoSchedule' }],
    0,
  ],
  [
    'never for a taint that only keeps others away',
    [slice(1, 'a', { ...broken, effect: 'NoSchedule' })],
    [],
    undefined,
  ],
  ['never for the taint of another device', [slice(1, 'b', broken)], [], undefined],
  ['never for a taint that a newer generation lacks', [slice(1, 'a', broken), slice(2, 'a')], [], undefined],
  ['never for a device that is gone', [], [], undefined],
];

test.each(cases)('evictionTime() is %s', (_what, slices, tolerations, seconds) => {
  const expected = seconds === undefined ? undefined : addedMs + seconds * 1_000;
  expect(evictionTime(claim(...tolerations), () => slices)).toBe(expected);
});
