import type { ResourceList } from '@slipway/kube-objects/kinds/resource-list';
import { describe, expect, test } from 'vitest';
import { pods } from './pod.js';
import { created, updated, updateErrors, writing } from './testing/write.js';

const container = (requests: ResourceList, limits: ResourceList = {}, more: object = {}) => ({
  name: 'app',
  image: 'nginx:1',
  resources: { requests, limits },
  ...more,
});
const pod = (...containers: readonly object[]) => ({ spec: { containers } });
const small = { cpu: '1', memory: '1Gi' };
const large = { cpu: '2', memory: '1Gi' };
const burstable = pod(container(small));
const guaranteed = pod(container(small, small));
const sidecar = { ...container(small), name: 'side', restartPolicy: 'Always' };
const init = { ...container(small), name: 'init' };
const beside = (before: object, resources: object) => ({
  spec: { containers: [container(small)], initContainers: [{ ...before, resources }] },
});
const running = (before: object, resources?: object) => ({
  status: { containerStatuses: [{ name: 'app', state: { running: {} }, ...(resources && { resources }) }] },
  ...before,
});
const onlyMutable = 'spec: Forbidden: only cpu and memory resources are mutable';
const changesClass = (quality: string) =>
  `spec: Invalid value: "${quality}": Pod QOS Class may not change as a result of resizing`;
const at = 'spec.containers[0].resources';
const restartsForMemory = { resizePolicy: [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }] };
const claims = { claims: [{ name: 'gpu' }] };
const withClaim = (of: object) => ({
  spec: { containers: [of], resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }] },
});

// what | before | after | what is wrong
const cases: [string, object, object, string[]][] = [
  ['nothing', burstable, burstable, []],
  ['more of both', burstable, pod(container({ cpu: '2', memory: '2Gi' })), []],
  ['less of both', burstable, pod(container({ cpu: '0', memory: '8Mi' })), []],
  ['limits where there were none', burstable, pod(container(small, { memory: '2Gi' })), []],
  [
    'requests and limits of a guaranteed pod alike',
    guaranteed,
    pod(container({ cpu: '2', memory: '1Gi' }, { cpu: '2', memory: '1Gi' })),
    [],
  ],
  [
    'A2: requests of a guaranteed pod alone',
    guaranteed,
    pod(container({ cpu: '500m', memory: '1Gi' }, small)),
    [changesClass('Guaranteed')],
  ],
  ['A2: limits that make it guaranteed', burstable, pod(container(small, small)), [changesClass('Burstable')]],
  ['A2: requests of a pod without any', pod(container({})), pod(container({ cpu: '1' })), [changesClass('BestEffort')]],
  [
    'A2: a request less',
    burstable,
    pod(container({ cpu: '1' })),
    [`${at}.requests: Forbidden: resource requests cannot be removed`],
  ],
  [
    'A2: a limit less',
    pod(container(small, { cpu: '2' })),
    pod(container(small)),
    [`${at}.limits: Forbidden: resource limits cannot be removed`],
  ],
  [
    'A1: another resource',
    pod(container({ ...small, 'ephemeral-storage': '1Gi' })),
    pod(container({ ...small, 'ephemeral-storage': '2Gi' })),
    [onlyMutable],
  ],
  ['A1: a resize policy', burstable, pod(container(small, {}, restartsForMemory)), [onlyMutable]],
  [
    'more than the limit',
    pod(container(small, { cpu: '1' })),
    pod(container({ cpu: '2', memory: '1Gi' }, { cpu: '1' })),
    [`${at}.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`],
  ],
  [
    'less than nothing',
    burstable,
    pod(container({ cpu: '-1', memory: '1Gi' })),
    [`${at}.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0`, changesClass('Burstable')].slice(
      0,
      1,
    ),
  ],
  [
    'A2: one container more',
    burstable,
    pod(container(small), { ...container(small), name: 'b' }),
    ['spec.containers: Forbidden: containers may not be added or removed on resize'],
  ],
  [
    'A2: a container of another name',
    burstable,
    pod({ ...container(small), name: 'b' }),
    ['spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize'],
  ],
  ['a sidecar', beside(sidecar, { requests: small }), beside(sidecar, { requests: { cpu: '2', memory: '1Gi' } }), []],
  [
    'a request less of a sidecar',
    beside(sidecar, { requests: small }),
    beside(sidecar, { requests: { cpu: '1' } }),
    ['spec.initContainers[0].resources.requests: Forbidden: resource requests cannot be removed'],
  ],
  [
    'A2: a mirror pod',
    { metadata: { name: 'it', annotations: { 'kubernetes.io/config.mirror': 'x' } }, ...burstable },
    burstable,
    ['[]: Forbidden: static pods cannot be resized'],
  ],
  [
    'A2: a Windows pod',
    { spec: { ...burstable.spec, os: { name: 'windows' } } },
    burstable,
    ['[]: Forbidden: windows pods cannot be resized'],
  ],
];

describe('A1, A2: a pod is resized', () => {
  test.each(cases)('%s', (_what, before, after, errors) => {
    expect(updateErrors(pods, before, after, 'resize')).toEqual(errors);
  });

  test('only where its kubelet can: "running containers with nil status.resources refused"', () => {
    const old = { ...created(pods, burstable) };
    const bigger = pod(container({ cpu: '2', memory: '1Gi' }));
    const errors = (status: object) => {
      const before = { ...old, ...running({}, undefined), ...status };
      return pods.validateUpdate(updated(pods, before, bigger, writing({ subresource: 'resize' })), before, 'resize');
    };
    expect(errors({})).toMatchObject([{ detail: 'Pod running on node without support for resize' }]);
    expect(errors(running({}, { requests: small }))).toEqual([]);
    expect(errors({ status: { containerStatuses: [{ name: 'app', state: { waiting: {} } }] } })).toEqual([]);
  });
});

const lessMemory = pod(container(small, { memory: '1Gi' }));
const moreMemory = pod(container(small, { memory: '2Gi' }));
const memory = `${at}.limits[memory]: Forbidden: memory limits cannot be`;
// F10: "1.33 refuses memory-LIMIT decreases without RestartContainer, lifted 1.34"
const claiming = (requests: ResourceList) => withClaim({ ...container(requests), resources: { requests, ...claims } });
const asAWhole = (...resources: object[]) =>
  resources.map((each) => ({ spec: { ...burstable.spec, resources: each } }));
const [whole, less, pages, larger] = asAWhole(
  { requests: large },
  { requests: { cpu: '2' } },
  { requests: { ...large, 'hugepages-2Mi': '2Mi' }, limits: { 'hugepages-2Mi': '2Mi' } },
  { requests: { cpu: '3', memory: '1Gi' } },
) as [object, object, object, object];
const resized = beside(init, { requests: large });
const ofVersions: [string, string, object, object, string[]][] = [
  ['F2: a container with resource claims', '1.36', claiming(small), claiming(large), [onlyMutable]],
  ['a container with resource claims', '1.37', claiming(small), claiming(large), []],
  [
    'an init container',
    '1.35',
    beside(init, { requests: small }),
    resized,
    ['spec: Forbidden: resources for non-sidecar init containers are immutable'],
  ],
  ['an init container', '1.36', beside(init, { requests: small }), resized, []],
  [
    'an init container that would run again',
    '1.36',
    beside({ ...init, ...restartsForMemory }, { requests: small }),
    beside({ ...init, ...restartsForMemory }, { requests: large }),
    [
      'spec.initContainers[0]: Forbidden: non-sidecar init containers with a resize policy of RestartContainer cannot be resized',
    ],
  ],
  [
    'a pod as a whole',
    '1.35',
    whole,
    burstable,
    [
      '[]: Forbidden: resize of pods with pod-level resources is forbidden when ' +
        'InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled',
    ],
  ],
  ['a pod as a whole', '1.36', whole, larger, []],
  ['a pod that first asks as a whole', '1.36', burstable, whole, []],
  [
    'a pod as a whole, that asks no more',
    '1.36',
    whole,
    burstable,
    ['spec.resources: Forbidden: pod-level resources cannot be removed'],
  ],
  ['a pod as a whole, by who does not know of it', '1.37', whole, burstable, []],
  [
    'a pod as a whole, that asks for less',
    '1.36',
    whole,
    less,
    ['spec.resources.requests: Forbidden: pod-level resource requests cannot be removed'],
  ],
  [
    'huge pages of a pod as a whole',
    '1.36',
    whole,
    pages,
    ['spec: Forbidden: only cpu and memory resources are mutable at pod-level'],
  ],
  [
    'lower memory limit',
    '1.33',
    moreMemory,
    lessMemory,
    [`${memory} decreased unless resizePolicy is RestartContainer`],
  ],
  ['lower memory limit', '1.34', moreMemory, lessMemory, []],
  ['new memory limit', '1.33', burstable, lessMemory, [`${memory} added unless resizePolicy is RestartContainer`]],
  ['higher memory limit', '1.33', lessMemory, moreMemory, []],
  [
    'lower memory limit with a restart',
    '1.33',
    pod(container(small, { memory: '2Gi' }, restartsForMemory)),
    pod(container(small, { memory: '1Gi' }, restartsForMemory)),
    [],
  ],
];

test.each(ofVersions)('a pod is resized: %s in %s', (_what, version, before, after, errors) => {
  expect(updateErrors(pods, before, after, 'resize', version)).toEqual(errors);
});

test('A1: "changes outside resources/resizePolicy are dropped": image, labels, tolerations, status', () => {
  const old = created(pods, { metadata: { name: 'it', labels: { a: 'b' } }, ...burstable });
  const given = {
    metadata: { name: 'it', labels: { a: 'c' }, annotations: { d: 'e' } },
    spec: {
      containers: [{ ...container({ cpu: '2', memory: '1Gi' }), image: 'nginx:2' }],
      tolerations: [{ operator: 'Exists' }],
      activeDeadlineSeconds: 5,
    },
    status: { phase: 'Running' },
  };
  const { metadata, spec, status } = updated(pods, old, given, writing({ subresource: 'resize' }));
  const [before] = old.spec.containers;
  const resources = { requests: { cpu: '2', memory: '1Gi' } };
  expect({ metadata, spec, status }).toEqual({
    metadata: old.metadata,
    spec: { ...old.spec, containers: [{ ...before, resources: expect.objectContaining(resources) }] },
    status: old.status,
  });
});

test('A3: "plain pod update may not touch resources; may remove gates"', () => {
  const bigger = pod(container({ cpu: '2', memory: '1Gi' }));
  expect(updateErrors(pods, burstable, bigger)).toEqual([
    expect.stringContaining('spec: Forbidden: pod updates may not change fields other than'),
  ]);
  const gated = { spec: { ...burstable.spec, schedulingGates: [{ name: 'g' }] } };
  expect(updateErrors(pods, gated, burstable)).toEqual([]);
});
