import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { forbidden, invalid, nonNegative, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import type { KubeObject, LabelSelector } from '@slipway/kube';
import { ageColumn, templateColumns, textColumn } from '../../api-server/registry/columns.js';
import { defineResource } from '../../api-server/registry/define-resource.js';
import type { PodTemplateFields } from '../../kube-objects/kinds/pod-spec.js';
import { type IntOrPercentField, isZero, validateAtMostAll, validateIntOrPercent } from './int-or-percent.js';
import { defaultClaim } from './persistent-volume-claim.js';
import { podGates } from './pod-gates.js';
import { validateTemplate } from './pod-spec-validation.js';
import { scaledBySelector } from './replicated-pods.js';
import { selects, validateWorkloadSelector } from './selector-validation.js';
import { defaultPodTemplate } from './workload-defaults.js';

interface StatefulSetSpecFields {
  replicas?: number;
  selector?: LabelSelector | null;
  template?: PodTemplateFields;
  volumeClaimTemplates?: KubeObject[] | null;
  podManagementPolicy?: string;
  updateStrategy?: {
    type?: string;
    rollingUpdate?: { partition?: number; maxUnavailable?: IntOrPercentField };
  };
  revisionHistoryLimit?: number;
  minReadySeconds?: number;
  persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
  ordinals?: { start?: number };
}

export const statefulSets = defineResource({
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  shortNames: ['sts'],
  categories: ['all'],
  namespaced: true,
  message: 'apps.v1.StatefulSet',
  subresources: {
    status: true,
    scale: scaledBySelector,
  },
  generation: ['spec'],
  gatedFields: {
    ...podGates('spec.template.spec'),
    MaxUnavailableStatefulSet: ['spec.updateStrategy.rollingUpdate.maxUnavailable'],
  },
  gatedDefaults: {
    MaxUnavailableStatefulSet({ spec }) {
      const strategy = (spec as StatefulSetSpecFields | undefined)?.updateStrategy;
      if (strategy?.type === 'RollingUpdate' && strategy.rollingUpdate) strategy.rollingUpdate.maxUnavailable ??= 1;
    },
  },
  defaults(statefulSet) {
    statefulSet.spec ??= {};
    const spec: StatefulSetSpecFields = statefulSet.spec;
    spec.replicas ??= 1;
    spec.podManagementPolicy ||= 'OrderedReady';
    spec.updateStrategy ??= {};
    spec.updateStrategy.type ||= 'RollingUpdate';
    if (spec.updateStrategy.type === 'RollingUpdate') {
      spec.updateStrategy.rollingUpdate ??= {};
      spec.updateStrategy.rollingUpdate.partition ??= 0;
    }
    spec.persistentVolumeClaimRetentionPolicy ??= {};
    spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= 'Retain';
    spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= 'Retain';
    spec.revisionHistoryLimit ??= 10;
    for (const claim of spec.volumeClaimTemplates ?? []) {
      claim.apiVersion = 'v1';
      claim.kind = 'PersistentVolumeClaim';
      defaultClaim(claim);
      claim.status = { phase: 'Pending' };
    }
    defaultPodTemplate(spec);
  },
  initialStatus: () => ({ replicas: 0, availableReplicas: 0 }),
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: ({ spec }, old) => validateSpecUpdate(spec, old.spec),
  columns: [
    textColumn(
      'Ready',
      'Pods that are ready, of the pods wanted.',
      ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    ),
    ageColumn,
    ...templateColumns,
  ],
});

function validateSpec(spec: StatefulSetSpecFields): FieldError[] {
  const selected = selects(spec.selector, spec.template?.metadata?.labels);
  const errors = [
    ...validatePolicies(spec),
    ...validateUpdateStrategy(spec.updateStrategy ?? {}),
    ...nonNegative('spec.replicas', spec.replicas),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...nonNegative('spec.revisionHistoryLimit', spec.revisionHistoryLimit),
    ...nonNegative('spec.ordinals.start', spec.ordinals?.start),
    ...validateWorkloadSelector(spec.selector, 'spec.selector', 'statefulset'),
    // As in Kubernetes the pods themselves are checked when they are made: claims add volumes to the template's.
    ...validateTemplate(spec.template, 'spec.template', selected),
  ];
  if (spec.template?.spec?.activeDeadlineSeconds !== undefined) {
    errors.push(
      forbidden('spec.template.spec.activeDeadlineSeconds', 'activeDeadlineSeconds in StatefulSet is not Supported'),
    );
  }
  return errors;
}

const managementPolicies = ['OrderedReady', 'Parallel'];
const retentionPolicies = ['Delete', 'Retain'];

function validatePolicies(spec: StatefulSetSpecFields): FieldError[] {
  const { podManagementPolicy = '', persistentVolumeClaimRetentionPolicy = {} } = spec;
  const errors: FieldError[] = [];
  if (podManagementPolicy === '') {
    errors.push(required('spec.podManagementPolicy'));
  } else if (!managementPolicies.includes(podManagementPolicy)) {
    errors.push(invalid('spec.podManagementPolicy', podManagementPolicy, "must be 'OrderedReady' or 'Parallel'"));
  }
  for (const when of ['whenDeleted', 'whenScaled'] as const) {
    const policy = persistentVolumeClaimRetentionPolicy[when] ?? '';
    if (!retentionPolicies.includes(policy)) {
      errors.push(notSupported(`spec.persistentVolumeClaimRetentionPolicy.${when}`, policy, retentionPolicies));
    }
  }
  return errors;
}

function validateUpdateStrategy(strategy: NonNullable<StatefulSetSpecFields['updateStrategy']>): FieldError[] {
  const { type = '', rollingUpdate } = strategy;
  const field = 'spec.updateStrategy';
  if (type === '') return [required(field)];
  if (type === 'OnDelete') {
    const detail = "only allowed for updateStrategy 'RollingUpdate'";
    return rollingUpdate ? [invalid(`${field}.rollingUpdate`, rollingUpdate, detail)] : [];
  }
  if (type !== 'RollingUpdate') return [invalid(field, strategy, "must be 'RollingUpdate' or 'OnDelete'")];
  const { partition, maxUnavailable } = rollingUpdate ?? {};
  const errors = nonNegative(`${field}.rollingUpdate.partition`, partition);
  if (maxUnavailable === undefined) return errors;
  const at = `${field}.rollingUpdate.maxUnavailable`;
  errors.push(...validateIntOrPercent(maxUnavailable, at));
  if (isZero(maxUnavailable)) errors.push(invalid(at, maxUnavailable, 'cannot be 0'));
  return [...errors, ...validateAtMostAll(maxUnavailable, at)];
}

const mutable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
] as const;

function validateSpecUpdate(spec: StatefulSetSpecFields, old: StatefulSetSpecFields): FieldError[] {
  const fixed = (fields: StatefulSetSpecFields) => {
    const rest = { ...fields };
    for (const field of mutable) delete rest[field];
    return rest;
  };
  if (equalJson(fixed(spec), fixed(old))) return [];
  const names = mutable.map((field) => `'${field}'`);
  const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  return [forbidden('spec', `updates to statefulset spec for fields other than ${list} are forbidden`)];
}
