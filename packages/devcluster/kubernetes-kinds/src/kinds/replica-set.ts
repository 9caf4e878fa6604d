import { nonNegative, unchanged } from '@slipway/api-machinery/errors/field-checks';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { selectorColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import {
  replicaColumns,
  replicaCounts,
  type SelectingFields,
  scaledBySelector,
  validateReplicaStatus,
  validateSelectedTemplate,
} from './replicated-pods.js';
import { templatedKind } from './templated-kind.js';
import { defaultPodTemplate } from './workload-defaults.js';

interface ReplicaSetSpecFields extends SelectingFields {
  replicas?: number;
  minReadySeconds?: number;
}

export const replicaSets = defineResource({
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  shortNames: ['rs'],
  ...templatedKind('template'),
  message: 'apps.v1.ReplicaSet',
  nameRules: 'create',
  subresources: {
    status: true,
    scale: scaledBySelector,
  },
  defaults(replicaSet) {
    replicaSet.spec ??= {};
    const spec: ReplicaSetSpecFields = replicaSet.spec;
    spec.replicas ??= 1;
    defaultPodTemplate(spec);
  },
  ...replicaCounts,
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: (replicaSet, old, subresource) =>
    subresource === 'status'
      ? validateReplicaStatus(replicaSet)
      : unchanged('spec.selector', replicaSet.spec.selector, old.spec.selector, equalJson),
  columns: [...replicaColumns, selectorColumn],
});

function validateSpec(spec: ReplicaSetSpecFields): FieldError[] {
  return [
    ...nonNegative('spec.replicas', spec.replicas),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...validateSelectedTemplate(spec),
  ];
}
