import { expect, test } from 'vitest';
import { daemonSets } from './daemon-set.js';
import { created, createErrors, row, updated, updateErrors } from './testing/write.js';

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'nginx:1' }] } };
const selector = { matchLabels: { app: 'web' } };
const set = (spec: object = {}) => ({ spec: { selector, template, ...spec } });
const rolling = (rollingUpdate: object) => set({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
const field = 'spec.updateStrategy.rollingUpdate';
const generation = 'deprecated.daemonset.template.generation';

test('DaemonSet gets the defaults that Kubernetes gives', () => {
  const object = created(daemonSets, { ...set(), status: { numberReady: 7 } });
  expect(object.spec).toMatchObject({
    selector,
    revisionHistoryLimit: 10,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    template: { spec: { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' } },
  });
  expect(object.status).toEqual({
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  });
  expect(created(daemonSets, set({ updateStrategy: { type: 'OnDelete' } })).spec.updateStrategy).toEqual({
    type: 'OnDelete',
  });
});

// what is wrong with it | spec
const invalidSets: [string[], object][] = [
  [[], set()],
  [[], rolling({ maxUnavailable: 0, maxSurge: '10%' })],
  [
    ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
    { spec: { template } },
  ],
  [['spec.selector: Invalid value: {}: empty selector is invalid for daemonset'], set({ selector: {} })],
  [
    ['spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`'],
    set({ selector: { matchLabels: { app: 'db' } } }),
  ],
  [
    ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
    set({ template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } }),
  ],
  [
    ['spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported'],
    set({ template: { ...template, spec: { ...template.spec, activeDeadlineSeconds: 5 } } }),
  ],
  [
    [`${field}.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`],
    rolling({ maxUnavailable: 0, maxSurge: 0 }),
  ],
  [
    [`${field}.maxSurge: Invalid value: "10%": may not be set when maxUnavailable is non-zero`],
    rolling({ maxUnavailable: 1, maxSurge: '10%' }),
  ],
  [
    [`${field}.maxUnavailable: Invalid value: "101%": must not be greater than 100%`],
    rolling({ maxUnavailable: '101%' }),
  ],
  [[`${field}.maxUnavailable: Invalid value: -1: must be greater than or equal to 0`], rolling({ maxUnavailable: -1 })],
  [['spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0'], set({ minReadySeconds: -1 })],
];

test.each(invalidSets)('DaemonSet: %j', (errors, object) => {
  expect(createErrors(daemonSets, object)).toEqual(errors);
});

test('DaemonSet never changes its selector', () => {
  const other = { matchLabels: { app: 'web', tier: 'x' } };
  const after = set({ selector: other, template: { ...template, metadata: { labels: other.matchLabels } } });
  expect(updateErrors(daemonSets, set(), after)).toEqual([
    'spec.selector: Invalid value: {"matchLabels":{"app":"web","tier":"x"}}: field is immutable',
  ]);
  expect(updateErrors(daemonSets, set(), set({ minReadySeconds: 3 }))).toEqual([]);
});

test('DaemonSet counts how often its template changed, whatever writers say', () => {
  const old = created(daemonSets, { ...set(), metadata: { name: 'it', annotations: { [generation]: '9', a: 'b' } } });
  expect(old.metadata.annotations).toEqual({ [generation]: '1', a: 'b' });
  expect(updated(daemonSets, old, set({ minReadySeconds: 3 })).metadata.annotations).toEqual({ [generation]: '1' });
  const restarted = { ...template, metadata: { ...template.metadata, annotations: { at: 'noon' } } };
  expect(updated(daemonSets, old, set({ template: restarted })).metadata.annotations).toEqual({ [generation]: '2' });
});

test('DaemonSet shows what kubectl get -o wide does', () => {
  const nodeSelector = { disk: 'ssd', arch: 'arm' };
  const object = created(daemonSets, set({ template: { ...template, spec: { ...template.spec, nodeSelector } } }));
  const metadata = { name: 'web', creationTimestamp: '2026-11-20T11:57:00Z' };
  const status = { desiredNumberScheduled: 3, currentNumberScheduled: 3, numberReady: 2, numberAvailable: 1 };
  expect(row(daemonSets, { ...object, metadata, status })).toEqual({
    DESIRED: 3,
    CURRENT: 3,
    READY: 2,
    'UP-TO-DATE': 0,
    AVAILABLE: 1,
    'NODE SELECTOR': 'arch=arm,disk=ssd',
    AGE: '3m',
    CONTAINERS: 'app',
    IMAGES: 'nginx:1',
    SELECTOR: 'app=web',
  });
  expect(row(daemonSets, created(daemonSets, set()))).toMatchObject({ 'NODE SELECTOR': '<none>' });
});
