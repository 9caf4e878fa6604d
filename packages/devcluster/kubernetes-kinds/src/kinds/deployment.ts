import { nonNegative, unchanged } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, forbidden, invalid, notSupported } from '@slipway/api-machinery/errors/field-error';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import {
  ageColumn,
  countColumn,
  selectorColumn,
  templateColumns,
  textColumn,
} from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { type IntOrPercentField, isZero, validateAtMostAll, validateIntOrPercent } from './int-or-percent.js';
import { type SelectingFields, scaledBySelector, validateSelectedTemplate } from './replicated-pods.js';
import { templatedKind } from './templated-kind.js';
import { defaultPodTemplate } from './workload-defaults.js';

interface DeploymentSpecFields extends SelectingFields {
  replicas?: number;
  strategy?: {
    type?: string;
    rollingUpdate?: { maxSurge?: IntOrPercentField; maxUnavailable?: IntOrPercentField };
  };
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
  progressDeadlineSeconds?: number;
}

export const deployments = defineResource({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  shortNames: ['deploy'],
  ...templatedKind('template'),
  statusKeeps: ['labels'],
  message: 'apps.v1.Deployment',
  nameRules: 'create',
  subresources: {
    status: true,
    scale: scaledBySelector,
  },
  defaults(deployment) {
    deployment.spec ??= {};
    const spec: DeploymentSpecFields = deployment.spec;
    spec.replicas ??= 1;
    spec.strategy ??= {};
    spec.strategy.type ||= 'RollingUpdate';
    if (spec.strategy.type === 'RollingUpdate') {
      spec.strategy.rollingUpdate ??= {};
      spec.strategy.rollingUpdate.maxUnavailable ??= '25%';
      spec.strategy.rollingUpdate.maxSurge ??= '25%';
    }
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
    defaultPodTemplate(spec);
  },
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: ({ spec }, old) => unchanged('spec.selector', spec.selector, old.spec.selector, equalJson),
  columns: [
    textColumn(
      'Ready',
      'Pods that are ready, of the pods wanted.',
      ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    ),
    countColumn('Up-to-date', 'Pods that have the template of now.', ({ status }) => status?.updatedReplicas),
    countColumn('Available', 'Pods that were ready for long enough.', ({ status }) => status?.availableReplicas),
    ageColumn,
    ...templateColumns,
    selectorColumn,
  ],
});

function validateSpec(spec: DeploymentSpecFields): FieldError[] {
  const { minReadySeconds = 0, progressDeadlineSeconds } = spec;
  const errors = [
    ...nonNegative('spec.replicas', spec.replicas),
    ...validateSelectedTemplate(spec),
    ...validateStrategy(spec.strategy ?? {}),
    ...nonNegative('spec.minReadySeconds', minReadySeconds),
    ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
    ...nonNegative('spec.progressDeadlineSeconds', progressDeadlineSeconds),
  ];
  if (progressDeadlineSeconds !== undefined && progressDeadlineSeconds <= minReadySeconds) {
    const detail = 'must be greater than minReadySeconds';
    errors.push(invalid('spec.progressDeadlineSeconds', progressDeadlineSeconds, detail));
  }
  return errors;
}

function validateStrategy({ type = '', rollingUpdate }: NonNullable<DeploymentSpecFields['strategy']>): FieldError[] {
  const field = 'spec.strategy.rollingUpdate';
  if (type === 'Recreate') {
    return rollingUpdate ? [forbidden(field, "may not be specified when strategy `type` is 'Recreate'")] : [];
  }
  if (type !== 'RollingUpdate') return [notSupported('spec.strategy.type', type, ['Recreate', 'RollingUpdate'])];
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const errors = [
    ...validateIntOrPercent(maxUnavailable, `${field}.maxUnavailable`),
    ...validateIntOrPercent(maxSurge, `${field}.maxSurge`),
  ];
  if (isZero(maxUnavailable) && isZero(maxSurge)) {
    errors.push(invalid(`${field}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  }
  return [...errors, ...validateAtMostAll(maxUnavailable, `${field}.maxUnavailable`)];
}
