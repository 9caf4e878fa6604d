import { invalidBecause, nonNegative, oneOf, unchanged } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { labelProblems } from '@slipway/api-machinery/errors/names';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { ageColumn, templateColumns, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject, LabelSelector } from '@slipway/kube';
import type { PodTemplateFields } from '@slipway/kube-objects/kinds/pod-spec';
import { templateWarnings } from '../warnings/workload-warnings.js';
import { type IntOrPercentField, isZero, validateAtMostAll, validateIntOrPercent } from './int-or-percent.js';
import { defaultClaim } from './persistent-volume-claim.js';
import { podGates } from './pod-gates.js';
import { validateLastingPods, validatePodTemplate, validateTemplateMetadata } from './pod-spec-validation.js';
import { scaledBySelector } from './replicated-pods.js';
import { selects, validateWorkloadSelector, withReadable } from './selector-validation.js';
import { templatedKind } from './templated-kind.js';
import { defaultPodTemplate } from './workload-defaults.js';

interface StatefulSetSpecFields {
  replicas?: number;
  selector?: LabelSelector | null;
  template?: PodTemplateFields;
  serviceName?: string;
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

const ofTemplate = templateWarnings('template');
const negativeLimit =
  'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';

export const statefulSets = defineResource({
  group: 'apps',
  version: 'v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  shortNames: ['sts'],
  ...templatedKind('template'),
  nameProblems: labelProblems,
  message: 'apps.v1.StatefulSet',
  nameRules: 'create',
  warnings: (set, old) => [...ofTemplate(set, old), ...(set.spec?.revisionHistoryLimit < 0 ? [negativeLimit] : [])],
  subresources: {
    status: true,
    scale: scaledBySelector,
  },
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
    // A type that is named gets no more than it has.
    if (!spec.updateStrategy.type) {
      spec.updateStrategy.type = 'RollingUpdate';
      spec.updateStrategy.rollingUpdate ??= {};
    }
    if (spec.updateStrategy.type === 'RollingUpdate' && spec.updateStrategy.rollingUpdate) {
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
  validateCreate: ({ spec }) => validateSpec(spec),
  validateUpdate: ({ spec }, old) => validateUpdated(spec, old.spec),
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
  return [
    ...validateBeside(spec),
    ...withReadable(spec.selector, '', () => [
      ...validatePodTemplate(asMade(spec), 'spec.template', selects(spec.selector, spec.template?.metadata?.labels)),
      ...validateTemplateMetadata(spec.template?.metadata ?? {}, 'spec.template'),
    ]),
    ...validateLastingPods(spec.template, 'spec.template.spec', 'StatefulSet'),
  ];
}

/** A template that was wrong before may stay so. */
function validateUpdated(spec: StatefulSetSpecFields, old: StatefulSetSpecFields): FieldError[] {
  const errors = validateSpec(old).length === 0 ? validateSpec(spec) : validateBeside(spec);
  return [...errors, ...validateFixed(spec, old)];
}

function validateBeside(spec: StatefulSetSpecFields): FieldError[] {
  return [
    ...validateManagement(spec),
    ...validateUpdateStrategy(spec.updateStrategy ?? {}),
    ...validateRetention(spec),
    ...nonNegative('spec.replicas', spec.replicas),
    ...nonNegative('spec.minReadySeconds', spec.minReadySeconds),
    ...nonNegative('spec.ordinals.start', spec.ordinals?.start),
    ...(spec.serviceName ? invalidBecause('spec.serviceName', spec.serviceName, labelProblems(spec.serviceName)) : []),
    ...validateWorkloadSelector(spec.selector, 'spec.selector', 'statefulset'),
  ];
}

/** The template with what the controller fills in for each pod: names, and the volumes of its claims. */
function asMade({ template, volumeClaimTemplates }: StatefulSetSpecFields): PodTemplateFields {
  const { hostname: _, subdomain: __, ...spec } = template?.spec ?? {};
  const names = (volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name ?? '');
  const claims = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const volumes = [...claims, ...(spec.volumes ?? []).filter(({ name = '' }) => !names.includes(name))];
  return { ...template, spec: { ...spec, volumes } };
}

const managementPolicies = ['OrderedReady', 'Parallel'];
const retentionPolicies = ['Retain', 'Delete'];

function validateManagement({ podManagementPolicy = '' }: StatefulSetSpecFields): FieldError[] {
  const field = 'spec.podManagementPolicy';
  if (podManagementPolicy === '') return [required(field)];
  if (managementPolicies.includes(podManagementPolicy)) return [];
  return [invalid(field, podManagementPolicy, "must be 'OrderedReady' or 'Parallel'")];
}

function validateRetention({ persistentVolumeClaimRetentionPolicy = {} }: StatefulSetSpecFields): FieldError[] {
  return (['whenDeleted', 'whenScaled'] as const).flatMap((when) => {
    const policy = persistentVolumeClaimRetentionPolicy[when] ?? '';
    return oneOf(`spec.persistentVolumeClaimRetentionPolicy.${when}`, policy, retentionPolicies);
  });
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

const fixed = ['selector', 'volumeClaimTemplates', 'serviceName', 'podManagementPolicy'] as const;

function validateFixed(spec: StatefulSetSpecFields, old: StatefulSetSpecFields): FieldError[] {
  return fixed.flatMap((name) => unchanged(`spec.${name}`, spec[name], old[name], equalJson));
}
