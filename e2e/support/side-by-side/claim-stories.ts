import fc from 'fast-check';
import { type Act, create, kubectl, together } from './side.js';

/** The nodes of a story. Where a pod goes is never left open, since both sides would draw. */
export const claimNodes = ['STORY-n1', 'STORY-n2'];
const group = 'resource.k8s.io/v1';
const driver = 'STORY.example.com';
const node = fc.constantFrom(...claimNodes);
const few = fc.integer({ min: 1, max: 3 });
const attribute = (name: string) => `device.attributes["${driver}"].${name}`;

/** The extended resources that the class `any` stands for: the one that it names, and its own. */
const resource = `${driver}/gpu`;
const ofAnyClass = 'deviceclass.resource.kubernetes.io/STORY-any';

const deviceClass = (name: string, expression = `device.driver == "${driver}"`): Act =>
  create(group, 'DeviceClass', `STORY-${name}`, {
    ...(name === 'any' && { extendedResourceName: resource }),
    selectors: [{ cel: { expression } }],
    config: [{ opaque: { driver, parameters: { of: name } } }],
  });

const sharedMemory = { value: '20Gi', requestPolicy: { default: '4Gi', validRange: { min: '2Gi', step: '2Gi' } } };
const device = fc.record({
  attributes: fc.record({
    model: fc.constantFrom('a', 'b').map((string) => ({ string })),
    numa: fc.constantFrom(0, 1).map((int) => ({ int })),
    version: fc.constantFrom('1.0.0', '2.1.0').map((version) => ({ version })),
  }),
  more: fc.constantFrom(
    { capacity: { memory: { value: '10Gi' } } },
    { capacity: { memory: { value: '20Gi' } } },
    { capacity: { memory: sharedMemory }, allowMultipleAllocations: true },
    { taints: [{ key: 'STORY/worn', value: 'yes', effect: 'NoSchedule' }] },
  ),
});

/** A pool of a node: of plain devices, or of partitions of a card whose counters are in a slice of their own. */
const pool = (name: string): fc.Arbitrary<readonly Act[]> =>
  fc.oneof(
    fc.array(device, { minLength: 1, maxLength: 4 }).map((devices) => [
      slice(
        name,
        1,
        name,
        devices.map(({ attributes, more }, index) => ({ name: `d${index}`, attributes, ...more })),
      ),
    ]),
    few.map((parts) => [
      create(group, 'ResourceSlice', `${name}-card`, {
        ...placed(name, 2),
        sharedCounters: [{ name: 'card', counters: { parts: { value: String(parts) } } }],
      }),
      slice(
        `${name}-parts`,
        2,
        name,
        [2, 1, 1].map((value, index) => ({
          name: `part${index}`,
          attributes: { model: { string: 'a' }, numa: { int: 0 }, version: { version: '1.0.0' } },
          consumesCounters: [{ counterSet: 'card', counters: { parts: { value: String(value) } } }],
        })),
      ),
    ]),
  );

function placed(nodeName: string, resourceSliceCount: number) {
  return { driver, pool: { name: nodeName, generation: 1, resourceSliceCount }, nodeName };
}

function slice(name: string, count: number, nodeName: string, devices: readonly object[]): Act {
  return create(group, 'ResourceSlice', name, { ...placed(nodeName, count), devices });
}

const selector = fc.constantFrom(
  `device.driver == "${driver}"`,
  `!device.allowMultipleAllocations`,
  `has(${attribute('missing')}) || ${attribute('numa')} == 0`,
  `${attribute('model')} == "a"`,
  `${attribute('numa')} == 1`,
  `${attribute('version')}.isGreaterThan(semver("1.5.0"))`,
  `device.capacity["${driver}"].?memory.orValue(quantity("0")).compareTo(quantity("15Gi")) > 0`,
  `${attribute('missing')} == "x"`,
);
/** Most claims ask for little, or none would get what it asks for. */
const seldom = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const wish = fc
  .record({
    deviceClassName: fc.oneof(
      { weight: 9, arbitrary: fc.constant('STORY-any') },
      { weight: 1, arbitrary: fc.constant('STORY-late') },
    ),
    selectors: fc.oneof(
      { weight: 2, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: selector.map((expression) => [{ cel: { expression } }]) },
    ),
    amount: fc.oneof(
      { weight: 4, arbitrary: fc.constant({ allocationMode: 'ExactCount', count: 1 }) },
      { weight: 1, arbitrary: few.map((count) => ({ allocationMode: 'ExactCount', count })) },
      { weight: 1, arbitrary: fc.constant({ allocationMode: 'All' }) },
    ),
    tolerations: seldom(fc.constant([{ operator: 'Exists' }])),
    capacity: seldom(fc.constantFrom('3Gi', '12Gi').map((memory) => ({ requests: { memory } }))),
  })
  .map(({ amount, ...more }) => ({ ...more, ...amount }));
const request = fc.oneof(
  { weight: 3, arbitrary: wish.map((exactly) => ({ exactly })) },
  { weight: 1, arbitrary: wish.map((exactly) => ({ exactly: { ...exactly, adminAccess: true } })) },
  {
    weight: 1,
    arbitrary: fc
      .array(wish, { minLength: 1, maxLength: 2 })
      .map((choices) => ({ firstAvailable: choices.map((one, index) => ({ name: `c${index}`, ...one })) })),
  },
);
const claimSpec = fc.record({
  devices: fc.record({
    requests: fc
      .array(request, { minLength: 1, maxLength: 2 })
      .map((requests) => requests.map((one, index) => ({ name: `r${index}`, ...one }))),
    constraints: seldom(
      fc.constantFrom([{ matchAttribute: `${driver}/model` }], [{ distinctAttribute: `${driver}/numa` }]),
    ),
    config: seldom(fc.constant([{ requests: ['r0'], opaque: { driver, parameters: { of: 'claim' } } }])),
  }),
});

const claimNames = ['one', 'two'];
const claimOf = (name: string) => claimSpec.map((spec) => create(group, 'ResourceClaim', name, spec));
const claims = fc.constantFrom(...claimNames).chain(claimOf);
const template = claimSpec.map((spec) => create(group, 'ResourceClaimTemplate', 'each', { spec }));

const podNames = ['a', 'b', 'c', 'd'];
const pod = fc
  .record({
    name: fc.constantFrom(...podNames),
    node,
    ends: fc.boolean(),
    entry: fc.constantFrom(
      { resourceClaimName: 'one' },
      { resourceClaimName: 'two' },
      { resourceClaimTemplateName: 'each' },
      { resourceClaimTemplateName: 'each' },
    ),
  })
  .map(({ name, node, ends, entry }) =>
    create('v1', 'Pod', name, {
      restartPolicy: ends ? 'Never' : 'Always',
      terminationGracePeriodSeconds: 1,
      nodeSelector: { 'kubernetes.io/hostname': node },
      resourceClaims: [{ name: 'devices', ...entry }],
      containers: [{ name: 'main', image: 'registry.example/app:1', resources: { claims: [{ name: 'devices' }] } }],
    }),
  );
/** How many devices a container has by a resource; most have none. */
const counts = fc.constantFrom(0, 0, 1, 1, 2);
/** A pod that says what devices it wants by requests for resources. */
const podWithResources = fc
  .record({ name: fc.constantFrom(...podNames), node, init: counts, sidecar: counts, last: counts, main: counts })
  .map(({ name, node, init, sidecar, last, main }) => {
    const container = (called: string, count: number) => {
      const amounts = count > 0 ? { [called === 'main' ? ofAnyClass : resource]: String(count) } : {};
      return { name: called, image: 'registry.example/app:1', resources: { requests: amounts, limits: amounts } };
    };
    return create('v1', 'Pod', name, {
      terminationGracePeriodSeconds: 1,
      nodeSelector: { 'kubernetes.io/hostname': node },
      initContainers: [
        container('init', init),
        { ...container('sidecar', sidecar), restartPolicy: 'Always' },
        container('last', last),
      ],
      containers: [container('main', main), container('other', 1)],
    });
  });
const rule = fc
  .record({
    name: fc.constantFrom('soft', 'hard'),
    effect: fc.constantFrom('None', 'NoSchedule', 'NoExecute'),
    place: fc.constantFrom({}, { pool: 'STORY-n1' }, { pool: 'STORY-n2', device: 'd0' }),
  })
  .map(({ name, effect, place }) =>
    create(group, 'DeviceTaintRule', `STORY-${name}`, {
      deviceSelector: { driver, ...place },
      taint: { key: 'STORY/rule', effect },
    }),
  );
const broken = [{ op: 'add', path: '/spec/devices/0/taints', value: [{ key: 'STORY/broken', effect: 'NoExecute' }] }];
const breakDevice: Act = {
  words: ['patch', 'resourceslice', 'STORY-n1', '--type=json', '-p', JSON.stringify(broken)],
};
const then = fc.oneof(
  { weight: 1, arbitrary: fc.constant(breakDevice) },
  { weight: 5, arbitrary: pod },
  { weight: 3, arbitrary: podWithResources },
  { weight: 1, arbitrary: rule },
  { weight: 1, arbitrary: fc.constant(kubectl('delete devicetaintrule STORY-hard --ignore-not-found')) },
  { weight: 1, arbitrary: fc.constantFrom(...podNames).map((name) => kubectl(`delete pod ${name} --wait=false`)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...claimNames).map((name) => kubectl(`delete resourceclaim ${name} --wait=false`)),
  },
  { weight: 1, arbitrary: claims },
  { weight: 1, arbitrary: fc.constant(deviceClass('late')) },
  { weight: 1, arbitrary: fc.constant(kubectl('delete resourceslice STORY-n1 --ignore-not-found')) },
);

/** The story of the devices of two nodes: claims, the pods that want them, and what happens to both. */
export const claimStory: fc.Arbitrary<readonly Act[]> = fc
  .tuple(
    pool('STORY-n1'),
    pool('STORY-n2'),
    fc.tuple(template, ...claimNames.map(claimOf)),
    fc.array(then, { minLength: 5, maxLength: 7 }),
  )
  .map(([one, two, wishes, acts]) => [
    kubectl('label namespace STORY resource.kubernetes.io/admin-access=true'),
    together([deviceClass('any'), ...one, ...two, ...wishes]),
    ...acts,
  ]);
