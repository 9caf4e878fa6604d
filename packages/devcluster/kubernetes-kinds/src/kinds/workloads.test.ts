import type { ResourceDefinition } from '@slipway/api-server/registry/resource-definition';
import { describe, expect, test } from 'vitest';
import { controllerRevisions } from './controller-revision.js';
import { deployments } from './deployment.js';
import { replicaSets } from './replica-set.js';
import { statefulSets } from './stateful-set.js';
import { created, createErrors, row, updated, updateErrors, writing } from './testing/write.js';

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'nginx:1' }] } };
const selector = { matchLabels: { app: 'web' } };
const workload = (spec: object = {}) => ({ spec: { selector, template, ...spec } });

const podSpec = {
  containers: [
    {
      name: 'app',
      image: 'nginx:1',
      imagePullPolicy: 'IfNotPresent',
      resources: {},
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
    },
  ],
  dnsPolicy: 'ClusterFirst',
  restartPolicy: 'Always',
  schedulerName: 'default-scheduler',
  securityContext: {},
  terminationGracePeriodSeconds: 30,
};

// kind | what a create of selector and template stores
const defaults: [ResourceDefinition, object, object][] = [
  [
    deployments,
    {
      replicas: 1,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    },
    {},
  ],
  [replicaSets, { replicas: 1 }, { replicas: 0 }],
  [
    statefulSets,
    {
      replicas: 1,
      serviceName: '',
      podManagementPolicy: 'OrderedReady',
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    },
    { replicas: 0, availableReplicas: 0 },
  ],
];

test.each(defaults.map(([definition, spec, status]) => ({ definition, spec, status, kind: definition.kind })))(
  '$kind gets the defaults that Kubernetes gives',
  ({ definition, spec, status }) => {
    const object = created(definition, { ...workload(), status: { replicas: 7 } });
    expect(object.spec).toEqual({ selector, template: { metadata: template.metadata, spec: podSpec }, ...spec });
    expect(object.status).toEqual(status);
  },
);

test('Deployment with Recreate gets no rolling update', () => {
  expect(created(deployments, workload({ strategy: { type: 'Recreate' } })).spec.strategy).toEqual({
    type: 'Recreate',
  });
});

test('replicas: 0 stays', () => {
  for (const definition of [deployments, replicaSets, statefulSets]) {
    expect(created(definition, workload({ replicas: 0 })).spec.replicas).toBe(0);
  }
});

test('StatefulSet completes its claim templates', () => {
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  };
  expect(created(statefulSets, workload({ volumeClaimTemplates: [claim] })).spec.volumeClaimTemplates).toEqual([
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data' },
      spec: { ...claim.spec, volumeMode: 'Filesystem' },
      status: { phase: 'Pending' },
    },
  ]);
});

test.each([
  [{ type: 'RollingUpdate' }, { type: 'RollingUpdate' }],
  [{ rollingUpdate: {} }, { type: 'RollingUpdate', rollingUpdate: { partition: 0 } }],
  [{ type: 'OnDelete' }, { type: 'OnDelete' }],
])('a StatefulSet that says %j of its updates gets %j', (updateStrategy, expected) => {
  expect(created(statefulSets, workload({ updateStrategy })).spec.updateStrategy).toEqual(expected);
});

const mismatch =
  'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`';
const percent =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
const rolling = (fields: object) => workload({ strategy: { type: 'RollingUpdate', rollingUpdate: fields } });
const updating = (fields: object) => workload({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: fields } });
const at = 'spec.updateStrategy.rollingUpdate.maxUnavailable';

// kind | object | what is wrong with it
const invalidWorkloads: [ResourceDefinition, object, string[]][] = [
  [deployments, workload(), []],
  [deployments, workload({ replicas: -1 }), ['spec.replicas: Invalid value: -1: must be greater than or equal to 0']],
  [
    deployments,
    { spec: { template } },
    [
      'spec.selector: Required value',
      `spec.template.metadata.labels: Invalid value: ${JSON.stringify(template.metadata.labels)}: \`selector\` does not match template \`labels\``,
    ],
  ],
  [
    deployments,
    workload({ selector: {} }),
    ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
  ],
  [deployments, workload({ selector: { matchLabels: { app: 'db' } } }), [mismatch]],
  [
    deployments,
    workload({ selector: { matchExpressions: [{ key: 'app', operator: 'Near' }] } }),
    [
      'spec.selector.matchExpressions[0].operator: Invalid value: "Near": not a valid selector operator',
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"app","operator":"Near"}]}: invalid label selector',
    ],
  ],
  [
    deployments,
    { spec: { selector, template: { metadata: template.metadata } } },
    ['spec.template.spec.containers: Required value'],
  ],
  [
    deployments,
    workload({ template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } }),
    ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
  [
    deployments,
    rolling({ maxSurge: 0, maxUnavailable: 0 }),
    ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0'],
  ],
  [
    deployments,
    rolling({ maxSurge: 'some' }),
    [`spec.strategy.rollingUpdate.maxSurge: Invalid value: "some": ${percent}`],
  ],
  [
    deployments,
    rolling({ maxUnavailable: '101%' }),
    ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
  ],
  [
    deployments,
    workload({ strategy: { type: 'Recreate', rollingUpdate: {} } }),
    ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
  ],
  [
    deployments,
    workload({ strategy: { type: 'Slowly' } }),
    ['spec.strategy.type: Unsupported value: "Slowly": supported values: "Recreate", "RollingUpdate"'],
  ],
  [
    deployments,
    workload({ progressDeadlineSeconds: 5, minReadySeconds: 5 }),
    ['spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds'],
  ],
  [replicaSets, workload({ selector: { matchLabels: { app: 'db' } } }), [mismatch]],
  [statefulSets, workload(), []],
  [
    statefulSets,
    workload({ selector: {} }),
    ['spec.selector: Invalid value: {}: empty selector is invalid for statefulset'],
  ],
  [
    statefulSets,
    workload({ podManagementPolicy: 'Any' }),
    ["spec.podManagementPolicy: Invalid value: \"Any\": must be 'OrderedReady' or 'Parallel'"],
  ],
  [
    statefulSets,
    workload({ updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } }),
    [
      'spec.updateStrategy.rollingUpdate: Invalid value: {"partition":1}: only allowed for updateStrategy \'RollingUpdate\'',
    ],
  ],
  [
    statefulSets,
    updating({ partition: -1 }),
    ['spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0'],
  ],
];

test.each(
  invalidWorkloads.map(([definition, object, errors]) => ({ definition, object, errors, kind: definition.kind })),
)('$kind: $errors', ({ definition, object, errors }) => {
  expect(createErrors(definition, object)).toEqual(errors);
});

describe('StatefulSet maxUnavailable', () => {
  const on = writing({ gates: ['MaxUnavailableStatefulSet'] });
  const field = (object: ReturnType<typeof created>) => object.spec.updateStrategy.rollingUpdate.maxUnavailable;

  test.each([
    [2, []],
    ['30%', []],
    [0, [`${at}: Invalid value: 0: cannot be 0`]],
    ['0%', [`${at}: Invalid value: "0%": cannot be 0`]],
    [-1, [`${at}: Invalid value: -1: must be greater than or equal to 0`]],
    ['200%', [`${at}: Invalid value: "200%": must not be greater than 100%`]],
    ['x', [`${at}: Invalid value: "x": ${percent}`]],
  ])('of %j is checked while the gate is on', (maxUnavailable, errors) => {
    const object = created(statefulSets, updating({ maxUnavailable }), on);
    const texts = statefulSets
      .validateCreate(object)
      .map(({ field: path, value, detail }) => `${path}: Invalid value: ${JSON.stringify(value)}: ${detail}`);
    expect(texts).toEqual(errors);
  });

  test('is dropped from a create while the gate is off', () => {
    expect(field(created(statefulSets, updating({ maxUnavailable: 2 })))).toBeUndefined();
    expect(field(created(statefulSets, updating({ maxUnavailable: 2 }), on))).toBe(2);
  });

  test('is 1 when nobody sets it while the gate is on, as Kubernetes defaults it', () => {
    expect(field(created(statefulSets, updating({}), on))).toBe(1);
    expect(field(created(statefulSets, updating({})))).toBeUndefined();
  });

  test('is dropped from an update while the gate is off, unless the stored object uses it', () => {
    const without = created(statefulSets, updating({}));
    const using = created(statefulSets, updating({ maxUnavailable: 2 }), on);
    expect(field(updated(statefulSets, without, updating({ maxUnavailable: 3 })))).toBeUndefined();
    expect(field(updated(statefulSets, using, updating({ maxUnavailable: 3 })))).toBe(3);
    expect(field(updated(statefulSets, using, updating({})))).toBeUndefined();
  });
});

const other = { matchLabels: { app: 'web', tier: 'x' } };
const otherTemplate = { ...template, metadata: { labels: other.matchLabels } };

// kind | before | after | what is wrong
const updates: [ResourceDefinition, object, object, string[]][] = [
  [deployments, workload(), workload({ replicas: 5, paused: true }), []],
  [
    deployments,
    workload(),
    workload({ selector: other, template: otherTemplate }),
    ['spec.selector: Invalid value: {"matchLabels":{"app":"web","tier":"x"}}: field is immutable'],
  ],
  [
    replicaSets,
    workload(),
    workload({ selector: other, template: otherTemplate }),
    ['spec.selector: Invalid value: {"matchLabels":{"app":"web","tier":"x"}}: field is immutable'],
  ],
  [
    statefulSets,
    workload(),
    workload({ replicas: 5, minReadySeconds: 1, revisionHistoryLimit: 2, template: otherTemplate }),
    [],
  ],
  [
    statefulSets,
    workload(),
    workload({ serviceName: 'other' }),
    ['spec.serviceName: Invalid value: "other": field is immutable'],
  ],
  [
    statefulSets,
    workload(),
    workload({ podManagementPolicy: 'Parallel' }),
    ['spec.podManagementPolicy: Invalid value: "Parallel": field is immutable'],
  ],
];

test.each(
  updates.map(([definition, before, after, errors]) => ({ definition, before, after, errors, kind: definition.kind })),
)('$kind update: $errors', ({ definition, before, after, errors }) => {
  expect(updateErrors(definition, before, after)).toEqual(errors);
});

test('ControllerRevision never changes its data', () => {
  const revision = (data: object) => ({ revision: 1, data });
  expect(updateErrors(controllerRevisions, revision({ a: 1 }), revision({ a: 1 }))).toEqual([]);
  expect(updateErrors(controllerRevisions, revision({ a: 1 }), revision({ a: 2 }))).toEqual([
    'data: Invalid value: {"a":2}: field is immutable',
  ]);
  expect(createErrors(controllerRevisions, { revision: -1 })).toEqual([
    'data: Required value: data is mandatory',
    'revision: Invalid value: -1: must be greater than or equal to 0',
  ]);
});

test('workloads show what kubectl get -o wide does', () => {
  const metadata = { name: 'web', creationTimestamp: '2026-11-20T11:57:00Z' };
  const status = { replicas: 3, readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 };
  const made = (definition: ResourceDefinition) => ({
    ...created(definition, workload({ replicas: 3 })),
    metadata,
    status,
  });
  const wide = { CONTAINERS: 'app', IMAGES: 'nginx:1' };
  expect(row(deployments, made(deployments))).toEqual({
    READY: '2/3',
    'UP-TO-DATE': 3,
    AVAILABLE: 1,
    AGE: '3m',
    ...wide,
    SELECTOR: 'app=web',
  });
  expect(row(replicaSets, made(replicaSets))).toEqual({
    DESIRED: 3,
    CURRENT: 3,
    READY: 2,
    AGE: '3m',
    ...wide,
    SELECTOR: 'app=web',
  });
  expect(row(statefulSets, made(statefulSets))).toEqual({ READY: '2/3', AGE: '3m', ...wide });
});

test('ControllerRevision shows what it belongs to', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u', controller: true };
  const revision = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name: 'web-1', ownerReferences: [owner] },
    revision: 2,
  };
  expect(row(controllerRevisions, revision)).toEqual({
    CONTROLLER: 'statefulset.apps/web',
    REVISION: 2,
    AGE: '<unknown>',
  });
});
