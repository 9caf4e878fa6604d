import { invalid } from '@slipway/api-machinery/errors/field-error';
import { pods } from '@slipway/kubernetes-kinds/kinds/pod';
import { created, updated, updateErrors, writing } from '@slipway/kubernetes-kinds/kinds/testing/write';
import { expect, test } from 'vitest';
import { defineResource } from './define-resource.js';

const fussy = defineResource({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
  message: 'apps.v1.Deployment',
  subresources: { status: true },
  columns: [],
  gatedFields: { Pausing: ['spec.paused', 'spec.minReadySeconds'], Waiting: ['spec.progressDeadlineSeconds'] },
  validate: () => [invalid('spec', 1, 'is never right')],
  validateUpdate: ({ spec }, old) =>
    spec.replicas === old.spec.replicas ? [] : [invalid('spec.replicas', spec.replicas, 'changed')],
});

test('defineResource() fills in what follows from the declaration', () => {
  expect(fussy).toMatchObject({
    listKind: 'DeploymentList',
    singular: 'deployment',
    storedAs: 'deployments.apps',
    origin: 'built-in',
    shortNames: [],
    categories: [],
    generationFields: [],
  });
});

test('defineResource() starts objects with an empty status', () => {
  expect(created(fussy, { status: { replicas: 3 } }).status).toEqual({});
});

test('defineResource() checks the whole object unless only its status is written', () => {
  expect(updateErrors(fussy, {}, {})).toEqual(['spec: Invalid value: 1: is never right']);
  expect(updateErrors(fussy, {}, {}, 'scale')).toHaveLength(1);
  expect(updateErrors(fussy, {}, {}, 'status')).toEqual([]);
  expect(updateErrors(fussy, {}, { spec: { replicas: 2 } }, 'status')).toEqual([
    'spec.replicas: Invalid value: 2: changed',
  ]);
});

const all = { spec: { paused: true, minReadySeconds: 5, progressDeadlineSeconds: 9 } };
const fieldsOf = ({ spec }: ReturnType<typeof created>) =>
  ['paused', 'minReadySeconds', 'progressDeadlineSeconds'].filter((field) => spec[field] !== undefined);

test.each([
  [[], []],
  [['Pausing'], ['paused', 'minReadySeconds']],
  [['Waiting'], ['progressDeadlineSeconds']],
  [
    ['Pausing', 'Waiting'],
    ['paused', 'minReadySeconds', 'progressDeadlineSeconds'],
  ],
])('defineResource() creates with gates %j on only %j of the gated fields', (gates, fields) => {
  expect(fieldsOf(created(fussy, all, writing({ gates })))).toEqual(fields);
});

test('defineResource() lets an update use all fields of a gate that the stored object uses one of', () => {
  const old = created(fussy, { spec: { paused: true } }, writing({ gates: ['Pausing'] }));
  expect(fieldsOf(updated(fussy, old, all))).toEqual(['paused', 'minReadySeconds']);
  const unused = created(fussy, {}, writing({ gates: ['Pausing'] }));
  expect(fieldsOf(updated(fussy, unused, all))).toEqual([]);
});

test('defineResource() drops a gated field of list items, and keeps the rest of them', () => {
  const volumes = [
    { name: 'a', image: { reference: 'a' } },
    { name: 'b', emptyDir: {} },
  ];
  const left = created(pods, { spec: { containers: [], volumes } }).spec.volumes;
  expect(left).toMatchObject([{ name: 'a' }, { name: 'b' }]);
  expect(left.some((volume: object) => 'image' in volume)).toBe(false);
});
