import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, forbidden, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { labelValueProblems, qualifiedNameProblems } from '@slipway/api-machinery/errors/names';
import { type LabelSelector, matchesSelector, SelectorError } from '@slipway/kube';

/**
 * Validates the selector of a workload: it is required and must not be empty.
 * @param word what Kubernetes calls the workload in the text about an empty one
 */
export function validateWorkloadSelector(
  selector: LabelSelector | null | undefined,
  field: string,
  word: string,
): FieldError[] {
  if (!selector) return [required(field)];
  const errors = validateLabelSelector(selector, field);
  if (Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0) {
    errors.push(invalid(field, selector, `empty selector is invalid for ${word}`));
  }
  return errors;
}

/** Validates a label selector; an empty one is valid. */
export function validateLabelSelector(selector: LabelSelector, field: string): FieldError[] {
  const { matchLabels, matchExpressions } = selector;
  return [
    ...validateLabels(matchLabels ?? {}, `${field}.matchLabels`),
    ...(matchExpressions ?? []).flatMap((one, index) =>
      validateRequirement(one, `${field}.matchExpressions[${index}]`),
    ),
  ];
}

/**
 * Whether a selector selects labels: none selects nothing; one that cannot be read is reported elsewhere and counts as
 * selecting.
 */
export function selects(
  selector: LabelSelector | null | undefined,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  if (!selector) return false;
  try {
    const isEmpty = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
    return isEmpty || matchesSelector(selector, labels);
  } catch (error) {
    if (error instanceof SelectorError) return true;
    throw error;
  }
}

/**
 * Reports a selector of a workload that selects nothing because it cannot be read; otherwise what is wrong with the
 * template that it selects.
 */
export function withReadable(
  selector: LabelSelector | null | undefined,
  why: string,
  validateTemplate: () => FieldError[],
): FieldError[] {
  const isReadable = !selector || validateLabelSelector(selector, '').length === 0;
  return isReadable ? validateTemplate() : [invalid('spec.selector', selector, why)];
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null;
}

/** Validates one requirement of a label selector. */
export function validateRequirement(requirement: Requirement, field: string, unknown?: 'allowed'): FieldError[] {
  const { key, values } = requirement;
  return [
    ...validateValues(requirement, field, unknown),
    ...invalidBecause(`${field}.key`, key, qualifiedNameProblems(key)),
    ...(values ?? []).flatMap((value, index) =>
      invalidBecause(`${field}.values[${index}]`, value, labelValueProblems(value)),
    ),
  ];
}

/** Validates whether the operator of a requirement is known, unless others are allowed, and has the values it needs. */
export function validateValues(
  { operator, values }: Omit<Requirement, 'key'>,
  field: string,
  unknown?: 'allowed',
): FieldError[] {
  const count = values?.length ?? 0;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? [] : [required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return count === 0
        ? []
        : [forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return unknown ? [] : [invalid(`${field}.operator`, operator, 'not a valid selector operator')];
  }
}

/** Validates a map of labels. */
export function validateLabels(labels: Readonly<Record<string, string>>, field: string): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...invalidBecause(field, key, qualifiedNameProblems(key)),
    ...invalidBecause(field, value, labelValueProblems(value)),
  ]);
}
