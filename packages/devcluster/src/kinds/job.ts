import type { KubeObject, LabelSelector } from '@slipway/kube';
import { equalJson } from '../patch/json-value.js';
import type { FieldError } from '../registry/resource-definition.js';
import { ageColumn, selectorColumn, templateColumns, textColumn } from './columns.js';
import { defineResource } from './define-resource.js';
import { forbidden, invalid, nonNegative, notSupported, required, unchanged } from './field-error.js';
import { humanDuration } from './human-duration.js';
import type { PodTemplateFields } from './pod-spec.js';
import { validateLabels, validatePodSpec } from './pod-spec-validation.js';
import { selects, validateLabelSelector } from './selector-validation.js';
import { defaultPodTemplate } from './workload-defaults.js';

interface JobSpecFields {
  parallelism?: number;
  completions?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  ttlSecondsAfterFinished?: number;
  selector?: LabelSelector | null;
  manualSelector?: boolean;
  suspend?: boolean;
  completionMode?: string;
  podReplacementPolicy?: string;
  template?: PodTemplateFields;
  [field: string]: unknown;
}

export const jobs = defineResource({
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  categories: ['all'],
  namespaced: true,
  message: 'batch.v1.Job',
  subresources: { status: true },
  generation: ['spec'],
  selectableFields: { 'status.successful': ({ status }) => String(status?.succeeded ?? 0) },
  defaults(job) {
    job.spec ??= {};
    const spec: JobSpecFields = job.spec;
    if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
    spec.parallelism ??= 1;
    spec.backoffLimit ??= 6;
    spec.completionMode ??= 'NonIndexed';
    spec.suspend ??= false;
    spec.podReplacementPolicy ??= 'TerminatingOrFailed';
    defaultPodTemplate(spec);
    const labels = spec.template?.metadata?.labels;
    if (labels && Object.keys(job.metadata.labels ?? {}).length === 0) job.metadata.labels = { ...labels };
  },
  prepareForCreate: selectOwnPods,
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: ({ spec }, old) =>
    fixedFields.flatMap((field) => unchanged(`spec.${field}`, spec[field], old.spec[field], equalJson)),
  columns: [
    textColumn('Status', 'How far the job is.', statusText),
    textColumn('Completions', 'Pods that succeeded, of those wanted.', completionsText),
    textColumn('Duration', 'How long the job ran.', ({ status }, nowMs) => {
      if (!status?.startTime) return '';
      const endMs = status.completionTime ? Date.parse(status.completionTime) : nowMs;
      return humanDuration(endMs - Date.parse(status.startTime));
    }),
    ageColumn,
    ...templateColumns,
    selectorColumn,
  ],
});

const fixedFields = ['completions', 'selector', 'template', 'completionMode'] as const;

/** Unless told otherwise a job finds its pods by its own UID, so no two ever share one. */
function selectOwnPods(job: KubeObject): void {
  const spec: JobSpecFields = job.spec;
  if (spec.manualSelector) return;
  const { uid = '', name = '' } = job.metadata;
  spec.template ??= {};
  spec.template.metadata ??= {};
  spec.template.metadata.labels = {
    ...spec.template.metadata.labels,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  spec.selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
}

function statusText({ metadata, status }: KubeObject): string {
  const conditions: readonly { type: string; status: string }[] = status?.conditions ?? [];
  const holds = (type: string) => conditions.some((each) => each.type === type && each.status === 'True');
  const ended = ['Complete', 'Failed'].find(holds);
  if (ended) return ended;
  if (metadata.deletionTimestamp) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(holds) ?? 'Running';
}

function completionsText({ spec, status }: KubeObject): string {
  const { completions, parallelism = 1 }: JobSpecFields = spec ?? {};
  const succeeded = status?.succeeded ?? 0;
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

/** What Kubernetes has and our job controller has not: better refused than ignored. */
const notYet = ['podFailurePolicy', 'successPolicy', 'backoffLimitPerIndex', 'maxFailedIndexes', 'managedBy'];

function validateSpec(spec: JobSpecFields): FieldError[] {
  const { selector, template, completionMode, podReplacementPolicy } = spec;
  const errors = [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
  ].flatMap((field) => nonNegative(`spec.${field}`, spec[field] as number | undefined));
  const implementedOnly = 'is not implemented by this server';
  for (const field of notYet) {
    if (spec[field] !== undefined) errors.push(forbidden(`spec.${field}`, implementedOnly));
  }
  if (completionMode === 'Indexed') errors.push(forbidden('spec.completionMode', implementedOnly));
  else if (completionMode !== 'NonIndexed') {
    errors.push(notSupported('spec.completionMode', completionMode, ['Indexed', 'NonIndexed']));
  }
  if (podReplacementPolicy === 'Failed') errors.push(forbidden('spec.podReplacementPolicy', implementedOnly));
  else if (podReplacementPolicy !== 'TerminatingOrFailed') {
    const known = ['Failed', 'TerminatingOrFailed'];
    errors.push(notSupported('spec.podReplacementPolicy', podReplacementPolicy, known));
  }
  errors.push(...(selector ? validateLabelSelector(selector, 'spec.selector') : [required('spec.selector')]));
  const labels = template?.metadata?.labels ?? {};
  errors.push(...validateLabels(labels, 'spec.template.labels'));
  if (!selects(selector, labels)) {
    const detail = '`selector` does not match template `labels`';
    errors.push(invalid('spec.template.metadata.labels', labels, detail));
  }
  return [...errors, ...validatePodSpec(template?.spec ?? {}, 'spec.template.spec'), ...validateRestarts(template)];
}

/** A container that is restarted whatever happens never ends. */
function validateRestarts(template: PodTemplateFields | undefined): FieldError[] {
  if (template?.spec?.restartPolicy !== 'Always') return [];
  return [required('spec.template.spec.restartPolicy', 'valid values: "OnFailure", "Never"')];
}
