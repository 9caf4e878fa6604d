import { unchanged } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { defaultVersion } from '@slipway/api-machinery/schema/supported-versions';
import { ageColumn, selectorColumn, templateColumns, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import { humanDuration } from '@slipway/kube-objects/rules/human-duration';
import { defaultJobSpec, type JobSpecFields, validateJobSpec } from './job-spec.js';
import { validateTemplateUpdate } from './job-template-update.js';
import { selects, validateLabelSelector } from './selector-validation.js';
import { templatedKind } from './templated-kind.js';

export const jobs = defineResource({
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  ...templatedKind('template'),
  orphansDependents: true,
  orphanWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or ' +
    'set propagationPolicy=Orphan to suppress this warning',
  message: 'batch.v1.Job',
  nameRules: 'create',
  subresources: { status: true },
  selectableFields: { 'status.successful': ({ status }) => String(status?.succeeded ?? 0) },
  defaults(job) {
    job.spec ??= {};
    const spec: JobSpecFields = job.spec;
    defaultJobSpec(spec);
    spec.manualSelector ??= false;
    labelLikePods(job);
  },
  prepareForCreate(job) {
    selectOwnPods(job);
    labelLikePods(job);
  },
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: ({ spec }, old, _subresource, version = defaultVersion) => [
    ...validateCompletions(spec, old.spec),
    ...unchanged('spec.selector', spec.selector, old.spec.selector, equalJson),
    ...validateTemplateUpdate(spec, old, version),
    ...fixedFields.flatMap((field) => unchanged(`spec.${field}`, spec[field], old.spec[field], equalJson)),
  ],
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

const fixedFields = [
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
] as const;

/** A job with indexes may get more or fewer of them, as long as all may run at once. */
function validateCompletions(spec: JobSpecFields, old: JobSpecFields): FieldError[] {
  const { completions, parallelism, completionMode } = spec;
  if (completionMode !== 'Indexed') return unchanged('spec.completions', completions, old.completions, equalJson);
  if (completions === undefined || completions === old.completions || completions === parallelism) return [];
  return [invalid('spec.completions', completions, 'can only be modified in tandem with spec.parallelism')];
}

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

/** A Job that was given no labels has those of its pods. */
function labelLikePods(job: KubeObject): void {
  const { labels } = job.spec?.template?.metadata ?? {};
  if (labels && Object.keys(job.metadata.labels ?? {}).length === 0) job.metadata.labels = { ...labels };
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

function validateSpec(spec: JobSpecFields): FieldError[] {
  const { selector, template } = spec;
  const errors = selector ? validateLabelSelector(selector, 'spec.selector') : [required('spec.selector')];
  const { labels } = template?.metadata ?? {};
  if (!selects(selector, labels)) {
    const detail = '`selector` does not match template `labels`';
    errors.push(invalid('spec.template.metadata.labels', labels ?? null, detail));
  }
  return [...validateJobSpec(spec, 'spec'), ...errors];
}
