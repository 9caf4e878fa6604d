import { appendErrors } from '@slipway/api-machinery/errors/append-errors';
import { nonNegative, oneOf } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, notSupported, required, tooLong } from '@slipway/api-machinery/errors/field-error';
import type { LabelSelector } from '@slipway/kube';
import type { PodTemplateFields } from '@slipway/kube-objects/kinds/pod-spec';
import { validateDomainPrefixedPath } from './domain-prefixed-path.js';
import {
  type PodFailurePolicyFields,
  type SuccessPolicyFields,
  validatePodFailurePolicy,
  validateSuccessPolicy,
} from './job-policies.js';
import { validatePodSpec, validateTemplateMetadata } from './pod-spec-validation.js';
import { defaultPodTemplate } from './workload-defaults.js';

/** Spec of a Job, or of the template of one, as far as it is looked at here. */
export interface JobSpecFields {
  parallelism?: number;
  completions?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  ttlSecondsAfterFinished?: number;
  selector?: LabelSelector | null;
  manualSelector?: boolean;
  suspend?: boolean;
  completionMode?: string;
  podReplacementPolicy?: string;
  podFailurePolicy?: PodFailurePolicyFields;
  successPolicy?: SuccessPolicyFields;
  managedBy?: string;
  template?: PodTemplateFields;
  [field: string]: unknown;
}

/** Fills in what Kubernetes assumes of a job. In place. */
export function defaultJobSpec(spec: JobSpecFields): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
  defaultFailurePolicy(spec);
  defaultPodTemplate(spec);
}

/** Fills in the status that conditions in a failure policy look for. In place. */
export function defaultFailurePolicy({ podFailurePolicy }: JobSpecFields): void {
  for (const { onPodConditions } of podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions ?? []) pattern.status ||= 'True';
  }
}

const numbers = [
  'parallelism',
  'completions',
  'activeDeadlineSeconds',
  'backoffLimit',
  'ttlSecondsAfterFinished',
  'backoffLimitPerIndex',
  'maxFailedIndexes',
] as const;
const modes = ['NonIndexed', 'Indexed'];
const maxIndexes = 100_000;
/** Most pods at once, and most failed indexes, of a job with more than `maxIndexes` completions that counts failures for each index. */
const maxOfManyIndexes = 10_000;

/** Validates the spec of a job, except for its selector. */
export function validateJobSpec(spec: JobSpecFields, field: string): FieldError[] {
  const { completionMode, managedBy } = spec;
  const errors = numbers.flatMap((name) => nonNegative(`${field}.${name}`, spec[name]));
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    errors.push(required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
  }
  if (managedBy !== undefined) errors.push(...validateManager(managedBy, `${field}.managedBy`));
  errors.push(...oneOf(`${field}.completionMode`, completionMode, modes));
  const isIndexed = completionMode === 'Indexed';
  errors.push(...(isIndexed ? validateIndexed(spec, field) : validateNonIndexed(spec, field)));
  if (isIndexed) errors.push(...validateManyIndexes(spec, field));
  errors.push(...validatePolicies(spec, field));
  appendErrors(errors, validateTemplateMetadata(spec.template?.metadata ?? {}, `${field}.template`));
  appendErrors(errors, validatePodSpec(spec.template?.spec ?? {}, `${field}.template.spec`));
  return [...errors, ...validateRestarts(spec, `${field}.template.spec.restartPolicy`)];
}

const longestManager = 63;

/** Whoever makes the pods of a job, such as `example.dev/queue`. */
function validateManager(name: string, field: string): FieldError[] {
  const errors = validateDomainPrefixedPath(name, field);
  return name.length > longestManager ? [...errors, tooLong(field, longestManager)] : errors;
}

function validateIndexed(
  { completions, parallelism = 0, maxFailedIndexes = 0 }: JobSpecFields,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (completions === undefined) errors.push(required(`${field}.completions`, 'when completion mode is Indexed'));
  if (parallelism > maxIndexes) {
    const detail = `must be less than or equal to ${maxIndexes} when completion mode is Indexed`;
    errors.push(invalid(`${field}.parallelism`, parallelism, detail));
  }
  if (maxFailedIndexes > (completions ?? maxFailedIndexes)) {
    errors.push(invalid(`${field}.maxFailedIndexes`, maxFailedIndexes, 'must be less than or equal to completions'));
  }
  if (maxFailedIndexes > maxIndexes) {
    const detail = `must be less than or equal to ${maxIndexes}`;
    errors.push(invalid(`${field}.maxFailedIndexes`, maxFailedIndexes, detail));
  }
  return errors;
}

/** Limits of jobs with so many indexes that the failures of each would not fit into the status. */
function validateManyIndexes(
  { completions = 0, parallelism = 0, maxFailedIndexes, backoffLimitPerIndex }: JobSpecFields,
  field: string,
): FieldError[] {
  if (completions <= maxIndexes || backoffLimitPerIndex === undefined) return [];
  const detail =
    `must be less than or equal to ${maxOfManyIndexes} when completions are above ${maxIndexes} ` +
    'and used with backoff limit per index';
  const atMost = (name: string, value: number) =>
    value > maxOfManyIndexes ? [invalid(`${field}.${name}`, value, detail)] : [];
  return [
    ...(maxFailedIndexes === undefined
      ? [required(`${field}.maxFailedIndexes`, `must be specified when completions is above ${maxIndexes}`)]
      : []),
    ...atMost('parallelism', parallelism),
    ...atMost('maxFailedIndexes', maxFailedIndexes ?? 0),
  ];
}

function validateNonIndexed(spec: JobSpecFields, field: string): FieldError[] {
  return (['backoffLimitPerIndex', 'maxFailedIndexes', 'successPolicy'] as const)
    .filter((name) => spec[name] !== undefined)
    .map((name) => invalid(`${field}.${name}`, spec[name], 'requires indexed completion mode'));
}

function validatePolicies(spec: JobSpecFields, field: string): FieldError[] {
  const { podFailurePolicy, successPolicy, podReplacementPolicy, completions = 0 } = spec;
  const { containers, initContainers } = spec.template?.spec ?? {};
  const names = [...(containers ?? []), ...(initContainers ?? [])].map(({ name = '' }) => name);
  const limitsIndexes = spec.backoffLimitPerIndex !== undefined;
  const errors = podFailurePolicy
    ? validatePodFailurePolicy(podFailurePolicy, names, limitsIndexes, `${field}.podFailurePolicy`)
    : [];
  if (successPolicy && spec.completionMode === 'Indexed') {
    errors.push(...validateSuccessPolicy(successPolicy, completions, `${field}.successPolicy`));
  }
  const replacing = podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  errors.push(...oneOf(`${field}.podReplacementPolicy`, podReplacementPolicy, replacing));
  return errors;
}

/** A container that is restarted whatever happens never ends. */
function validateRestarts({ template, podFailurePolicy }: JobSpecFields, field: string): FieldError[] {
  const policy = template?.spec?.restartPolicy;
  if (!policy || policy === 'Always') return [required(field, 'valid values: "OnFailure", "Never"')];
  if (policy !== 'OnFailure' && policy !== 'Never') return [notSupported(field, policy, ['OnFailure', 'Never'])];
  if (!podFailurePolicy || policy === 'Never') return [];
  return [invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified')];
}
