import { invalidBecause, requiredOneOf } from '@slipway/api-machinery/errors/field-checks';
import { duplicate, type FieldError, invalid, required, tooLong } from '@slipway/api-machinery/errors/field-error';
import { qualifiedNameProblems } from '@slipway/api-machinery/errors/names';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';

/** A condition of a status, as most kinds have it (`meta.v1.Condition`). */
export interface ConditionFields {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string | null;
  readonly reason?: string;
  readonly message?: string;
}

const statuses = ['False', 'True', 'Unknown'];
const maxReason = 1024;
const maxMessage = 32 * 1024;
const reasonFormat = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const reasonPattern = new RegExp(`^${reasonFormat}$`);

/** Validates the conditions of a status, one of each type. */
export function validateConditions(conditions: readonly ConditionFields[], field: string): FieldError[] {
  const isTwice = repeatsIn(conditions.map(({ type = '' }) => type));
  return conditions.flatMap((condition, index) => {
    const at = `${field}[${index}]`;
    return [...(isTwice(index) ? [duplicate(at, condition.type ?? '')] : []), ...validateCondition(condition, at)];
  });
}

function validateCondition(condition: ConditionFields, field: string): FieldError[] {
  const { type = '', status = '', observedGeneration = 0, lastTransitionTime, reason = '', message = '' } = condition;
  return [
    ...(type === ''
      ? [required(`${field}.type`, 'is required')]
      : invalidBecause(`${field}.type`, type, qualifiedNameProblems(type))),
    ...requiredOneOf(`${field}.status`, status, statuses),
    ...(observedGeneration < 0
      ? [invalid(`${field}.observedGeneration`, observedGeneration, 'must be greater than or equal to zero')]
      : []),
    ...(lastTransitionTime ? [] : [required(`${field}.lastTransitionTime`)]),
    ...validateReason(reason, `${field}.reason`),
    ...(Buffer.byteLength(message) > maxMessage ? [tooLong(`${field}.message`, maxMessage)] : []),
  ];
}

function validateReason(reason: string, field: string): FieldError[] {
  if (reason === '') return [required(field)];
  const detail =
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', " +
    "and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  " +
    `or 'ReasonA:ReasonB', regex used for validation is '${reasonFormat}')`;
  return [
    ...(reasonPattern.test(reason) ? [] : [invalid(field, reason, detail)]),
    ...(Buffer.byteLength(reason) > maxReason ? [tooLong(field, maxReason)] : []),
  ];
}
