import { type FieldError, nonNegative, unchanged } from '@slipway/api-machinery/errors/field-error';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { selectorColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { LabelSelector } from '@slipway/kube';
import type { PodTemplateFields } from '@slipway/kube-objects/kinds/pod-spec';
import { workloadWarnings } from '../warnings/workload-warnings.js';
import { podGates } from './pod-gates.js';
import { validateLastingPods, validatePodTemplate } from './pod-spec-validation.js';
import { replicaColumns, replicaCounts, scaledBySelector, validateReplicaStatus } from './replicated-pods.js';
import { selects, validateWorkloadSelector, withReadable } from './selector-validation.js';
import { strictTemplateAddresses } from './strict-addresses.js';
import { defaultPodTemplate } from './workload-defaults.js';

interface ReplicaSetSpecFields {
  replicas?: number;
  minReadySeconds?: number;
  selector?: LabelSelector | null;
  template?: PodTemplateFields;
}

export const replicaSets = defineResource({
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  shortNames: ['rs'],
  categories: ['all'],
  namespaced: true,
  message: 'apps.v1.ReplicaSet',
  gatedRules: strictTemplateAddresses('spec', 'template'),
  nameRules: 'create',
  warnings: workloadWarnings('template'),
  gatedFields: podGates('spec.template.spec'),
  subresources: {
    status: true,
    scale: scaledBySelector,
  },
  generation: ['spec'],
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
    // Kubernetes says deployment here as well.
    ...validateWorkloadSelector(spec.selector, 'spec.selector', 'deployment'),
    ...withReadable(spec.selector, 'invalid label selector', () => [
      ...validatePodTemplate(spec.template, 'spec.template', selects(spec.selector, spec.template?.metadata?.labels)),
      ...validateLastingPods(spec.template, 'spec.template.spec', 'ReplicaSet'),
    ]),
  ];
}
