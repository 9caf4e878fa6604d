import { invalidBecause, nonNegative, oneOf } from '@slipway/api-machinery/errors/field-checks';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { duplicate, invalid, notSupported, required, tooMany } from '@slipway/api-machinery/errors/field-error';
import { qualifiedNameProblems } from '@slipway/api-machinery/errors/names';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import { listText } from '@slipway/api-server/auth/rbac/covers';
import { whyNotIndexes } from './index-list.js';

/** Policies of a job, as far as they are looked at here. */
export interface PodFailurePolicyFields {
  rules?: FailureRuleFields[] | null;
}

interface FailureRuleFields {
  action?: string;
  onExitCodes?: { containerName?: string; operator?: string; values?: number[] | null };
  onPodConditions?: { type?: string; status?: string }[] | null;
}

export interface SuccessPolicyFields {
  rules?: { succeededIndexes?: string; succeededCount?: number }[] | null;
}

const maxRules = 20;
const maxConditions = 20;
const maxExitCodes = 255;
const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];

/** Validates a pod failure policy. `limitsIndexes` = the job limits the failures of each index. */
export function validatePodFailurePolicy(
  { rules }: PodFailurePolicyFields,
  containers: readonly string[],
  limitsIndexes: boolean,
  field: string,
): FieldError[] {
  const list = rules ?? [];
  return [
    ...(list.length > maxRules ? [tooMany(`${field}.rules`, list.length, maxRules)] : []),
    ...list.flatMap((rule, index) => {
      const at = `${field}.rules[${index}]`;
      return [
        ...validateAction(rule.action ?? '', limitsIndexes, `${at}.action`),
        ...validatePatterns(rule, containers, at),
      ];
    }),
  ];
}

function validateAction(action: string, limitsIndexes: boolean, field: string): FieldError[] {
  if (action === '') return [required(field, `valid values: ${listText(actions)}`)];
  if (!actions.includes(action)) return [notSupported(field, action, actions)];
  if (action !== 'FailIndex' || limitsIndexes) return [];
  return [invalid(field, action, 'requires the backoffLimitPerIndex to be set')];
}

function validatePatterns(
  { onExitCodes, onPodConditions }: FailureRuleFields,
  containers: readonly string[],
  field: string,
): FieldError[] {
  const conditions = onPodConditions ?? [];
  const errors = onExitCodes ? validateExitCodes(onExitCodes, containers, `${field}.onExitCodes`) : [];
  if (conditions.length > maxConditions) {
    errors.push(tooMany(`${field}.onPodConditions`, conditions.length, maxConditions));
  }
  for (const [index, { type = '', status = '' }] of conditions.entries()) {
    const at = `${field}.onPodConditions[${index}]`;
    errors.push(...invalidBecause(`${at}.type`, type, qualifiedNameProblems(type)));
    errors.push(...oneOf(`${at}.status`, status, statuses));
  }
  if (onExitCodes && conditions.length > 0) {
    errors.push(invalid(field, null, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  }
  if (!onExitCodes && conditions.length === 0) {
    errors.push(invalid(field, null, 'specifying one of OnExitCodes and OnPodConditions is required'));
  }
  return errors;
}

function validateExitCodes(
  { containerName, operator = '', values }: NonNullable<FailureRuleFields['onExitCodes']>,
  containers: readonly string[],
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (operator === '') errors.push(required(`${field}.operator`, `valid values: ${listText(operators)}`));
  else errors.push(...oneOf(`${field}.operator`, operator, operators));
  if (containerName !== undefined && !containers.includes(containerName)) {
    const detail = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalid(`${field}.containerName`, containerName, detail));
  }
  const codes = values ?? [];
  if (codes.length === 0) errors.push(invalid(`${field}.values`, values ?? null, 'at least one value is required'));
  if (codes.length > maxExitCodes) errors.push(tooMany(`${field}.values`, codes.length, maxExitCodes));
  const isTwice = repeatsIn(codes);
  for (const [index, code] of codes.entries()) {
    const at = `${field}.values[${index}]`;
    if (operator === 'In' && code === 0) errors.push(invalid(at, code, 'must not be 0 for the In operator'));
    if (isTwice(index)) errors.push(duplicate(at, code));
  }
  if (codes.some((code, index) => code < (codes[index - 1] ?? code))) {
    errors.push(invalid(`${field}.values`, codes, 'must be ordered'));
  }
  return errors;
}

/** Validates the success policy of a job with this number of completions. */
export function validateSuccessPolicy(
  { rules }: SuccessPolicyFields,
  completions: number,
  field: string,
): FieldError[] {
  const list = rules ?? [];
  const errors: FieldError[] = [];
  if (list.length === 0) {
    errors.push(required(`${field}.rules`, 'at least one rules must be specified when the successPolicy is specified'));
  }
  if (list.length > maxRules) errors.push(tooMany(`${field}.rules`, list.length, maxRules));
  for (const [index, { succeededIndexes, succeededCount }] of list.entries()) {
    const at = `${field}.rules[${index}]`;
    if (succeededCount === undefined && succeededIndexes === undefined) {
      errors.push(required(at, 'at least one of succeededCount or succeededIndexes must be specified'));
    }
    const why = succeededIndexes && whyNotIndexes(succeededIndexes, completions);
    if (why) errors.push(invalid(`${at}.succeededIndexes`, succeededIndexes, `error parsing succeededIndexes: ${why}`));
    errors.push(...nonNegative(`${at}.succeededCount`, succeededCount));
    if ((succeededCount ?? 0) > completions) {
      const detail = `must be less than or equal to ${completions} (the number of specified completions)`;
      errors.push(invalid(`${at}.succeededCount`, succeededCount, detail));
    }
  }
  return errors;
}
