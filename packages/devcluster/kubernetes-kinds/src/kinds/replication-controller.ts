import { nonNegative } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, required } from '@slipway/api-machinery/errors/field-error';
import { wideColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import type { PodTemplateFields } from '@slipway/kube-objects/kinds/pod-spec';
import { validateLastingPods, validatePodTemplate } from './pod-spec-validation.js';
import { replicaColumns, replicaCounts, validateReplicaStatus } from './replicated-pods.js';
import { templatedKind } from './templated-kind.js';
import { defaultPodTemplate } from './workload-defaults.js';

interface ReplicationControllerSpecFields {
  replicas?: number;
  minReadySeconds?: number;
  selector?: Record<string, string>;
  template?: PodTemplateFields;
}

/** What ReplicaSets have replaced. */
export const replicationControllers = defineResource({
  group: '',
  version: 'v1',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  shortNames: ['rc'],
  ...templatedKind('template'),
  orphansDependents: true,
  message: 'core.v1.ReplicationController',
  nameRules: 'none',
  subresources: {
    status: true,
    scale: {
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.spec.selector',
    },
  },
  defaults(controller) {
    controller.spec ??= {};
    const spec: ReplicationControllerSpecFields = controller.spec;
    spec.replicas ??= 1;
    if (spec.template) defaultPodTemplate(spec);
    const labels = spec.template?.metadata?.labels;
    if (!labels) return;
    spec.selector ??= { ...labels };
    if (Object.keys(controller.metadata.labels ?? {}).length === 0) controller.metadata.labels = { ...labels };
  },
  ...replicaCounts,
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: (controller, _old, subresource) =>
    subresource === 'status' ? validateReplicaStatus(controller) : [],
  columns: [...replicaColumns, wideColumn('Selector', 'Labels of the pods.', selectorText)],
});

function validateSpec({
  replicas,
  minReadySeconds,
  selector = {},
  template,
}: ReplicationControllerSpecFields): FieldError[] {
  const labels = template?.metadata?.labels ?? {};
  const matches = Object.entries(selector).every(([key, value]) => labels[key] === value);
  return [
    ...nonNegative('spec.minReadySeconds', minReadySeconds),
    ...(Object.keys(selector).length === 0 ? [required('spec.selector')] : []),
    ...nonNegative('spec.replicas', replicas),
    ...(template ? validatePodTemplate(template, 'spec.template', matches) : [required('spec.template')]),
    ...(template ? validateLastingPods(template, 'spec.template.spec', 'ReplicationController') : []),
  ];
}

function selectorText({ spec }: KubeObject): string {
  const labels = Object.entries<string>(spec?.selector ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return labels.map(([key, value]) => `${key}=${value}`).join(',') || '<none>';
}
