import { invalidBecause, oneOf } from '@slipway/api-machinery/errors/field-checks';
import { duplicate, type FieldError, forbidden, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { qualifiedNameProblems } from '@slipway/api-machinery/errors/names';
import type { LabelSelector } from '@slipway/kube';
import type { SpreadFields } from '@slipway/kube-objects/kinds/pod-spec';
import { validateLabelSelector } from './selector-validation.js';

const actions = ['DoNotSchedule', 'ScheduleAnyway'];
const nodePolicies = ['Honor', 'Ignore'];

/** Validates how pods spread over the domains of topologies. */
export function validateSpread(constraints: readonly SpreadFields[], field: string): FieldError[] {
  return constraints.flatMap((constraint, index) => {
    const at = `${field}[${index}]`;
    const { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '', labelSelector } = constraint;
    const errors: FieldError[] = [];
    if (maxSkew <= 0) errors.push(invalid(`${at}.maxSkew`, maxSkew, 'must be greater than zero'));
    if (topologyKey === '') errors.push(required(`${at}.topologyKey`, 'can not be empty'));
    errors.push(...oneOf(`${at}.whenUnsatisfiable`, whenUnsatisfiable, actions));
    const isRepeated = constraints
      .slice(index + 1)
      .some(
        (other) => (other.topologyKey ?? '') === topologyKey && (other.whenUnsatisfiable ?? '') === whenUnsatisfiable,
      );
    if (isRepeated) {
      errors.push(duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`));
    }
    return [
      ...errors,
      ...validateMinDomains(constraint, `${at}.minDomains`),
      ...oneOf(`${at}.nodeAffinityPolicy`, constraint.nodeAffinityPolicy, nodePolicies),
      ...oneOf(`${at}.nodeTaintsPolicy`, constraint.nodeTaintsPolicy, nodePolicies),
      ...validateMatchKeys(constraint.matchLabelKeys ?? [], labelSelector, at),
      ...(labelSelector ? validateLabelSelector(labelSelector, `${at}.labelSelector`) : []),
    ];
  });
}

function validateMinDomains({ minDomains, whenUnsatisfiable = '' }: SpreadFields, field: string): FieldError[] {
  if (minDomains === undefined) return [];
  const errors = minDomains > 0 ? [] : [invalid(field, minDomains, 'must be greater than zero')];
  if (whenUnsatisfiable === 'DoNotSchedule') return errors;
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable}`;
  return [...errors, invalid(field, minDomains, detail)];
}

/**
 * Validates labels whose values of the new pod select, and those whose values select the others.
 * @param field path of what has the two lists
 */
export function validateMatchKeys(
  matching: readonly string[],
  selector: LabelSelector | undefined,
  field: string,
  mismatching: readonly string[] = [],
): FieldError[] {
  const errors = [
    ...validateKeys(matching, selector, `${field}.matchLabelKeys`),
    ...validateKeys(mismatching, selector, `${field}.mismatchLabelKeys`),
  ];
  if (selector) {
    const selected = new Set(Object.keys(selector.matchLabels ?? {}));
    for (const { key } of selector.matchExpressions ?? []) {
      const place = matching.lastIndexOf(key);
      if (place >= 0 && selected.has(key)) {
        errors.push(invalid(`${field}[${place}]`, key, 'exists in both matchLabelKeys and labelSelector'));
      }
      selected.add(key);
    }
  }
  for (const [index, key] of matching.entries()) {
    if (!mismatching.includes(key)) continue;
    const detail = 'exists in both matchLabelKeys and mismatchLabelKeys';
    errors.push(invalid(`${field}.matchLabelKeys[${index}]`, key, detail));
  }
  return errors;
}

function validateKeys(keys: readonly string[], selector: LabelSelector | undefined, field: string): FieldError[] {
  if (keys.length === 0) return [];
  if (!selector) return [forbidden(field, 'must not be specified when labelSelector is not set')];
  return keys.flatMap((key, index) => invalidBecause(`${field}[${index}]`, key, qualifiedNameProblems(key)));
}
