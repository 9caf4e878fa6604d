import { nonNegative } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid } from '@slipway/api-machinery/errors/field-error';
import { ageColumn, countColumn, templateColumns } from '@slipway/api-server/registry/columns';
import type { KubeObject, LabelSelector } from '@slipway/kube';
import type { PodTemplateFields } from '@slipway/kube-objects/kinds/pod-spec';
import { validateLastingPods, validatePodTemplate } from './pod-spec-validation.js';
import { selects, validateWorkloadSelector, withReadable } from './selector-validation.js';

export interface SelectingFields {
  selector?: LabelSelector | null;
  template?: PodTemplateFields;
}

/** The scale subresource of kinds whose selector is a label selector. */
export const scaledBySelector = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};

/** What ReplicaSets and ReplicationControllers have in common: their counts of pods. */
export const replicaCounts = {
  initialStatus: () => ({ replicas: 0 }),
  selectableFields: { 'status.replicas': ({ status }: KubeObject) => String(status?.replicas ?? 0) },
};

export const replicaColumns = [
  countColumn('Desired', 'Pods wanted.', ({ spec }) => spec?.replicas),
  countColumn('Current', 'Pods there are.', ({ status }) => status?.replicas),
  countColumn('Ready', 'Pods that are ready.', ({ status }) => status?.readyReplicas),
  ageColumn,
  ...templateColumns,
];

/** Validates the counts in a status: none is negative, and no part is greater than the whole. */
export function validateReplicaStatus({ status = {} }: KubeObject): FieldError[] {
  const { replicas = 0, fullyLabeledReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const parts = { fullyLabeledReplicas, readyReplicas, availableReplicas };
  const all = { replicas, ...parts, observedGeneration: status.observedGeneration ?? 0 };
  return [
    ...Object.entries(all).flatMap(([name, count]) => nonNegative(`status.${name}`, count)),
    ...nonNegative('status.terminatingReplicas', status.terminatingReplicas),
    ...Object.entries(parts).flatMap(([name, count]) =>
      count > replicas ? [invalid(`status.${name}`, count, 'cannot be greater than status.replicas')] : [],
    ),
    ...(availableReplicas > readyReplicas
      ? [invalid('status.availableReplicas', availableReplicas, 'cannot be greater than readyReplicas')]
      : []),
  ];
}

/** Validates the selector of a ReplicaSet, or of a Deployment that makes some, with the template that it selects. */
export function validateSelectedTemplate({ selector, template }: SelectingFields): FieldError[] {
  return [
    // Kubernetes says deployment of a ReplicaSet as well.
    ...validateWorkloadSelector(selector, 'spec.selector', 'deployment'),
    ...withReadable(selector, 'invalid label selector', () => [
      ...validatePodTemplate(template, 'spec.template', selects(selector, template?.metadata?.labels)),
      ...validateLastingPods(template, 'spec.template.spec', 'ReplicaSet'),
    ]),
  ];
}
