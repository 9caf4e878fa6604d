import type {
  DeviceTaint,
  DeviceTaintRule,
  DeviceToleration,
  ResourceSlice,
} from '@slipway/kube-objects/kinds/api/devices';
import { expect, test } from 'vitest';
import { evictionOf } from './device-eviction.js';

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

test.each(cases)('evictionOf() is %s', (_what, slices, tolerations, seconds) => {
  const expected = seconds === undefined ? undefined : addedMs + seconds * 1_000;
  expect(evictionOf(claim(...tolerations), () => slices, [])?.atMs).toBe(expected);
});

const rule = (name: string, deviceSelector: object | undefined, taint: Partial<DeviceTaint> = {}): DeviceTaintRule => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceTaintRule',
  metadata: { name, uid: name },
  spec: { ...(deviceSelector && { deviceSelector }), taint: { ...broken, ...taint } },
});

// what | rules | tolerations | seconds after the taint | rules that demand it
const ofRules: [string, DeviceTaintRule[], DeviceToleration[], number | undefined, string[]][] = [
  ['at once', [rule('all', {})], [], 0, ['all']],
  ['after as long as the rule is tolerated', [rule('all', {})], [bears(30)], 30, ['all']],
  ['never for a rule without a selector', [rule('none', undefined)], [], undefined, []],
  ['never for a rule that only keeps others away', [rule('soft', {}, { effect: 'NoSchedule' })], [], undefined, []],
  ['never for rules about other devices', [rule('b', { device: 'b' }), rule('q', { pool: 'q' })], [], undefined, []],
  [
    'for each rule that selects the device',
    [
      rule('driver', { driver: 'gpu.example.com' }),
      rule('exact', { pool: 'p', device: 'a' }),
      rule('b', { device: 'b' }),
    ],
    [],
    0,
    ['driver', 'exact'],
  ],
];

test.each(ofRules)('evictionOf() of a device without slices is %s', (_what, rules, tolerations, seconds, names) => {
  const eviction = evictionOf(claim(...tolerations), () => [], rules);
  expect(eviction?.atMs).toBe(seconds === undefined ? undefined : addedMs + seconds * 1_000);
  expect((eviction?.rules ?? []).map(({ metadata }) => metadata.name)).toEqual(names);
});
