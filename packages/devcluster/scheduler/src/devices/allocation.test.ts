import type { Device } from '@slipway/kube-objects/kinds/api/devices';
import type { ResourceClaim } from '@slipway/kube-objects/kinds/api/resource-claims';
import { aNode } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { aClaim, aDeviceClass, aDeviceView, aSlice, asks, driver } from '../testing/devices.js';
import { allocate } from './allocation.js';
import type { DeviceView } from './device-view.js';

const node = aNode('n1', { labels: { zone: 'a' } });
const named = (...names: string[]): Device[] => names.map((name) => ({ name }));

/** The devices that each claim gets: `request=pool/device`. */
function devicesFor(claims: readonly ResourceClaim[], view: DeviceView): string {
  const allocations = allocate(claims, node, view, () => 'share');
  if (!allocations) return 'none';
  const textOf = ({ devices }: (typeof allocations)[number]) =>
    (devices?.results ?? []).map(({ request, pool, device }) => `${request}=${pool}/${device}`).join(' ');
  return allocations.map(textOf).join('; ');
}

const four = aSlice('p', named('a', 'b', 'c', 'd'));
const used = {
  ...aClaim('used', []),
  status: { allocation: { devices: { results: [{ request: 'x', driver, pool: 'p', device: 'a' }] } } },
};
const ofNuma = (numa: number, name: string): Device => ({ name, attributes: { numa: { int: numa } } });
const tainted: Device = { name: 'a', taints: [{ key: 'broken', effect: 'NoExecute' }] };

// what | claims | slices | devices
const cases: [string, readonly ResourceClaim[], readonly ReturnType<typeof aSlice>[], string][] = [
  ['one device', [aClaim('c', [asks('r')])], [four], 'r=p/a'],
  ['several devices', [aClaim('c', [asks('r', { count: 3 })])], [four], 'r=p/a r=p/b r=p/c'],
  ['more devices than there are', [aClaim('c', [asks('r', { count: 5 })])], [four], 'none'],
  ['all devices', [aClaim('c', [asks('r', { allocationMode: 'All' })])], [four], 'r=p/a r=p/b r=p/c r=p/d'],
  ['all of no devices', [aClaim('c', [asks('r', { allocationMode: 'All' })])], [], 'none'],
  [
    'devices for two claims',
    [aClaim('c', [asks('r')]), aClaim('d', [asks('s', { count: 2 })])],
    [four],
    'r=p/a; s=p/b s=p/c',
  ],
  [
    'a device that the next request lacks then',
    [aClaim('c', [asks('r'), asks('s', { selectors: [{ cel: { expression: 'a' } }] })])],
    [four],
    'r=p/b s=p/a',
  ],
  [
    'a selected device',
    [aClaim('c', [asks('r', { selectors: [{ cel: { expression: 'b or c' } }] })])],
    [four],
    'r=p/b',
  ],
  [
    'the first choice that can be had',
    [
      aClaim('c', [
        {
          name: 'r',
          firstAvailable: [
            { name: 'many', deviceClassName: 'gpu', count: 9 },
            { name: 'few', deviceClassName: 'gpu', count: 2 },
          ],
        },
      ]),
    ],
    [four],
    'r/few=p/a r/few=p/b',
  ],
  [
    'devices of one node',
    [aClaim('c', [asks('r', { count: 2 })], { constraints: [{ matchAttribute: `${driver}/numa` }] })],
    [aSlice('p', [ofNuma(0, 'a'), ofNuma(1, 'b'), ofNuma(1, 'c')])],
    'r=p/b r=p/c',
  ],
  [
    'devices of different nodes',
    [aClaim('c', [asks('r', { count: 2 })], { constraints: [{ distinctAttribute: `${driver}/numa` }] })],
    [aSlice('p', [ofNuma(1, 'a'), ofNuma(1, 'b'), ofNuma(0, 'c')])],
    'r=p/a r=p/c',
  ],
  [
    'devices without the attribute',
    [aClaim('c', [asks('r')], { constraints: [{ matchAttribute: `${driver}/model` }] })],
    [four],
    'none',
  ],
  [
    'devices of one node, for one of two requests',
    [
      aClaim('c', [asks('r'), asks('s', { count: 2 })], {
        constraints: [{ requests: ['s'], matchAttribute: `${driver}/numa` }],
      }),
    ],
    [aSlice('p', [ofNuma(0, 'a'), ofNuma(1, 'b'), ofNuma(1, 'c')])],
    'r=p/a s=p/b s=p/c',
  ],
  ['a device of this node', [aClaim('c', [asks('r')])], [aSlice('p', named('a'), { nodeName: 'n1' })], 'r=p/a'],
  ['a device of another node', [aClaim('c', [asks('r')])], [aSlice('p', named('a'), { nodeName: 'n2' })], 'none'],
  [
    'a device of a zone',
    [aClaim('c', [asks('r')])],
    [aSlice('p', named('a'), { nodeSelector: zone('b') }), aSlice('q', named('a'), { nodeSelector: zone('a') })],
    'r=q/a',
  ],
  [
    'a device with a place of its own',
    [aClaim('c', [asks('r')])],
    [
      aSlice(
        'p',
        [
          { name: 'a', nodeName: 'n2' },
          { name: 'b', nodeName: 'n1' },
        ],
        { perDeviceNodeSelection: true },
      ),
    ],
    'r=p/b',
  ],
  [
    'pools by name',
    [aClaim('c', [asks('r', { count: 2 })])],
    [aSlice('q', named('a')), aSlice('p', named('z'))],
    'r=p/z r=q/a',
  ],
  [
    'a pool that is ready before one that is prepared',
    [aClaim('c', [asks('r')])],
    [aSlice('p', [{ name: 'a', bindingConditions: ['ready'] }]), aSlice('q', named('a'))],
    'r=q/a',
  ],
  [
    'nothing of a pool that lacks a slice',
    [aClaim('c', [asks('r')])],
    [aSlice('p', named('a'), { pool: { name: 'p', generation: 1, resourceSliceCount: 2 } })],
    'none',
  ],
  [
    'the newest generation of a pool',
    [aClaim('c', [asks('r')])],
    [
      aSlice('p-old', named('a'), { pool: { name: 'p', generation: 1, resourceSliceCount: 1 } }),
      aSlice('p-new', named('b'), { pool: { name: 'p', generation: 2, resourceSliceCount: 1 } }),
    ],
    'r=p/b',
  ],
  [
    'nothing of an old generation, the newest being for another node',
    [aClaim('c', [asks('r')])],
    [
      aSlice('p-old', named('a'), { nodeName: 'n1', pool: { name: 'p', generation: 1, resourceSliceCount: 2 } }),
      aSlice('p-new', named('b'), { nodeName: 'n2', pool: { name: 'p', generation: 2, resourceSliceCount: 1 } }),
    ],
    'none',
  ],
  ['a tainted device', [aClaim('c', [asks('r')])], [aSlice('p', [tainted])], 'none'],
  [
    'a tainted device that is tolerated',
    [aClaim('c', [asks('r', { tolerations: [{ key: 'broken', operator: 'Exists' }] })])],
    [aSlice('p', [tainted])],
    'r=p/a',
  ],
  [
    'a tainted device that is tolerated for another effect',
    [aClaim('c', [asks('r', { tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }] })])],
    [aSlice('p', [tainted])],
    'none',
  ],
  [
    'a device that is only marked',
    [aClaim('c', [asks('r')])],
    [aSlice('p', [{ name: 'a', taints: [{ key: 'k', effect: 'None' }] }])],
    'r=p/a',
  ],
  [
    'administration of a device, once',
    [aClaim('c', [asks('r', { adminAccess: true }), asks('s')])],
    [aSlice('p', named('a', 'b'))],
    'r=p/a s=p/b',
  ],
  [
    'partitions while their counters last',
    [aClaim('c', [asks('r', { count: 2 })])],
    [partitioned('3')],
    'r=p/half-1 r=p/half-2',
  ],
  ['no more partitions than counters', [aClaim('c', [asks('r', { count: 3 })])], [partitioned('3')], 'none'],
  [
    'a device that is large enough',
    [aClaim('c', [asks('r', { capacity: { requests: { memory: '2Gi' } } })])],
    [sized()],
    'r=p/large',
  ],
  [
    'a device without the capacity',
    [aClaim('c', [asks('r', { capacity: { requests: { cores: '1' } } })])],
    [sized()],
    'none',
  ],
];

function zone(value: string) {
  return { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In' as const, values: [value] }] }] };
}

/** A card of so many parts: the whole takes four of them, a half two, a quarter one. */
function partitioned(parts: string) {
  const part = (name: string, value: string): Device => ({
    name,
    consumesCounters: [{ counterSet: 'card', counters: { parts: { value } } }],
  });
  const sharedCounters = [{ name: 'card', counters: { parts: { value: parts } } }];
  return aSlice('p', [part('whole', '4'), part('half-1', '2'), part('half-2', '1'), part('half-3', '2')], {
    sharedCounters,
  });
}

function sized() {
  const device = (name: string, value: string): Device => ({ name, capacity: { memory: { value } } });
  return aSlice('p', [device('small', '1Gi'), device('large', '2Gi')]);
}

test.each(cases)('allocate() gives a claim %s', (_what, claims, slices, devices) => {
  expect(devicesFor(claims, aDeviceView(slices))).toBe(devices);
});

test('allocate() gives no device that another claim has, except for administration', () => {
  const view = aDeviceView([four], [used]);
  expect(devicesFor([aClaim('c', [asks('r')])], view)).toBe('r=p/b');
  expect(devicesFor([aClaim('c', [asks('r', { adminAccess: true })])], view)).toBe('r=p/a');
  expect(devicesFor([aClaim('c', [asks('r', { allocationMode: 'All' })])], view)).toBe('none');
});

// what cannot be decided | claim | slices | message
const undecidable: [string, ResourceClaim, readonly ReturnType<typeof aSlice>[], string][] = [
  [
    'a selector that cannot be compiled',
    aClaim('c', [asks('r', { selectors: [{ cel: { expression: 'broken' } }] })]),
    [four],
    'claim default/c: selector #0: CEL compile error: it is broken',
  ],
  [
    'a selector that fails for a device',
    aClaim('c', [asks('r', { selectors: [{ cel: { expression: 'x' } }] })]),
    [aSlice('p', named('odd'))],
    'claim default/c: selector #0 on device gpu.example.com/p/odd: CEL runtime error: it is odd',
  ],
  [
    'all devices of a pool that is being updated',
    aClaim('c', [asks('r', { allocationMode: 'All' })]),
    [aSlice('p', named('a'), { pool: { name: 'p', generation: 1, resourceSliceCount: 2 } })],
    'claim default/c, request r: asks for all devices, but resource pool gpu.example.com/p is currently being updated',
  ],
  [
    'more devices than a claim may have',
    aClaim('c', [asks('r', { count: 20 }), asks('s', { count: 13 })]),
    [four],
    'claim default/c, request s: adding 13 devices exceeds the claim limit of 32, with 20 already accounted for',
  ],
  [
    'a device twice in one pool',
    aClaim('c', [asks('r')]),
    [aSlice('p', named('a', 'a'))],
    'invalid resource pools were encountered',
  ],
];

test.each(undecidable)('allocate() does not decide about %s', (_what, claim, slices, message) => {
  expect(() => devicesFor([claim], aDeviceView(slices))).toThrow(message);
});

test('allocate() ends, however many ways there are to fail', () => {
  const many = named(...Array.from({ length: 40 }, (_, index) => `d${index}`));
  const claim = aClaim('c', [asks('r', { count: 12 }), asks('s', { selectors: [{ cel: { expression: 'none' } }] })]);
  expect(() => devicesFor([claim], aDeviceView([aSlice('p', many)]))).toThrow(
    'node n1: timed out trying to allocate devices',
  );
});

test('allocate() says from which nodes the devices can be used', () => {
  const selectorFor = (...slices: readonly ReturnType<typeof aSlice>[]) =>
    allocate([aClaim('c', [asks('r', { allocationMode: 'All' })])], node, aDeviceView(slices), () => '')?.[0]
      ?.nodeSelector;
  const own = { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }] };
  expect(selectorFor(aSlice('p', named('a')))).toBeUndefined();
  expect(selectorFor(aSlice('p', named('a'), { nodeName: 'n1' }), aSlice('q', named('a')))).toEqual(own);
  const inZone = (name: string) => aSlice(name, named('a'), { nodeSelector: zone('a') });
  expect(selectorFor(inZone('p'), inZone('q'))).toEqual(zone('a'));
  expect(selectorFor(aSlice('p', [{ name: 'a', bindsToNode: true }]))).toEqual(own);
});

test('allocate() hands on parameters of classes and of the claim, and to which requests they are for', () => {
  const opaque = (parameters: string) => ({ opaque: { driver, parameters } });
  const classes = [aDeviceClass('gpu', { config: [opaque('class')] }), aDeviceClass('plain')];
  const requests = [asks('r'), asks('s'), asks('t', { deviceClassName: 'plain' })];
  const config = [{ ...opaque('all') }, { ...opaque('one'), requests: ['t'] }];
  const view = aDeviceView([four], [], classes);
  expect(allocate([aClaim('c', requests, { config })], node, view, () => '')?.[0]?.devices?.config).toEqual([
    { source: 'FromClass', requests: ['r', 's'], ...opaque('class') },
    { source: 'FromClaim', ...opaque('all') },
    { source: 'FromClaim', requests: ['t'], ...opaque('one') },
  ]);
  const alone = allocate([aClaim('c', [asks('r')])], node, view, () => '')?.[0]?.devices?.config;
  expect(alone).toEqual([{ source: 'FromClass', ...opaque('class') }]);
});

test('allocate() shares a device while its capacity lasts, and says what each claim takes', () => {
  const memory = { value: '10Gi', requestPolicy: { default: '4Gi', validRange: { min: '2Gi', step: '2Gi' } } };
  const slice = aSlice('p', [{ name: 'a', allowMultipleAllocations: true, capacity: { memory } }]);
  const takes = (requested: Record<string, string>, taken: string) => {
    const result = { request: 'r', driver, pool: 'p', device: 'a', shareID: 's', consumedCapacity: { memory: taken } };
    const other = { ...aClaim('o', []), status: { allocation: { devices: { results: [result] } } } };
    const claim = aClaim('c', [asks('r', { capacity: { requests: requested } })]);
    const [allocation] = allocate([claim], node, aDeviceView([slice], [other]), () => 'share') ?? [];
    return allocation?.devices?.results?.map(({ shareID, consumedCapacity }) => [shareID, consumedCapacity?.memory])[0];
  };
  expect(takes({}, '2Gi')).toEqual(['share', '4Gi']);
  expect(takes({ memory: '3Gi' }, '2Gi')).toEqual(['share', '4Gi']);
  expect(takes({ memory: '1Gi' }, '8Gi')).toEqual(['share', '2Gi']);
  expect(takes({ memory: '3Gi' }, '8Gi')).toBeUndefined();
});

const request = fc.record({
  count: fc.integer({ min: 1, max: 3 }),
  mode: fc.constantFrom('ExactCount' as const, 'ExactCount' as const, 'All' as const),
  only: fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined }),
  adminAccess: fc.boolean(),
});

test('any claims: no device is given twice but for administration, and each request gets what it asks for', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(request, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      (drawn) => {
        const done: ResourceClaim[] = [];
        for (const [index, requests] of drawn.entries()) {
          const wishes = requests.map(({ count, mode, only, adminAccess }, at) =>
            asks(`r${at}`, {
              allocationMode: mode,
              ...(mode === 'ExactCount' && { count }),
              ...(only && { selectors: [{ cel: { expression: only } }] }),
              ...(adminAccess && { adminAccess }),
            }),
          );
          const claim = aClaim(`c${index}`, wishes);
          const [allocation] = allocate([claim], node, aDeviceView([four], done), () => '') ?? [];
          if (allocation) done.push({ ...claim, status: { allocation } });
        }
        const results = done.map(({ status }) => status?.allocation?.devices?.results ?? []);
        const exclusive = results.flat().filter(({ adminAccess }) => !adminAccess);
        expect(new Set(exclusive.map(({ device }) => device)).size).toBe(exclusive.length);
        for (const own of results) expect(new Set(own.map(({ device }) => device)).size).toBe(own.length);
        for (const [index, claim] of done.entries()) {
          for (const { name, exactly } of claim.spec.devices?.requests ?? []) {
            const got = results[index]?.filter((result) => result.request === name).length ?? 0;
            if (exactly?.allocationMode === 'All') expect(got).toBeGreaterThan(0);
            else expect(got).toBe(exactly?.count);
          }
        }
      },
    ),
    { numRuns: 300 },
  );
});
