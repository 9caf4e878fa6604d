import { appendErrors } from '@slipway/api-machinery/errors/append-errors';
import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, forbidden, invalid, required } from '@slipway/api-machinery/errors/field-error';
import {
  labelProblems,
  labelValueProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from '@slipway/api-machinery/errors/names';
import type { AffinityFields, NodeTermFields, PodTermFields } from '@slipway/kube-objects/kinds/pod-spec';
import { validateLabelSelector } from './selector-validation.js';
import { validateMatchKeys } from './spread-validation.js';

type Requirement = NonNullable<NodeTermFields['matchExpressions']>[number];

const requiredPart = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferredPart = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Validates the affinity of a pod. */
export function validateAffinity(
  { nodeAffinity, podAffinity, podAntiAffinity }: AffinityFields,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const demanded = nodeAffinity?.[requiredPart];
  if (demanded) errors.push(...validateNodeSelector(demanded, `${field}.nodeAffinity.${requiredPart}`));
  for (const [index, { weight, preference }] of (nodeAffinity?.[preferredPart] ?? []).entries()) {
    const at = `${field}.nodeAffinity.${preferredPart}[${index}]`;
    appendErrors(errors, [...validateWeight(weight, at), ...validateNodeTerm(preference, `${at}.preference`, false)]);
  }
  for (const [name, affinity] of Object.entries({ podAffinity, podAntiAffinity })) {
    for (const [index, term] of (affinity?.[requiredPart] ?? []).entries()) {
      errors.push(...validatePodTerm(term, `${field}.${name}.${requiredPart}[${index}]`));
    }
    for (const [index, { weight, podAffinityTerm }] of (affinity?.[preferredPart] ?? []).entries()) {
      const at = `${field}.${name}.${preferredPart}[${index}]`;
      errors.push(...validateWeight(weight, at), ...validatePodTerm(podAffinityTerm, `${at}.podAffinityTerm`));
    }
  }
  return errors;
}

type NodeSelector = NonNullable<NonNullable<AffinityFields['nodeAffinity']>[typeof requiredPart]>;

/** Validates which nodes are selected. */
export function validateNodeSelector({ nodeSelectorTerms }: NodeSelector, field: string): FieldError[] {
  const at = `${field}.nodeSelectorTerms`;
  const terms = nodeSelectorTerms ?? [];
  if (terms.length === 0) return [required(at, 'must have at least one node selector term')];
  return terms.flatMap((term, index) => validateNodeTerm(term, `${at}[${index}]`, true));
}

function validateWeight(weight: number, field: string): FieldError[] {
  return weight >= 1 && weight <= 100 ? [] : [invalid(`${field}.weight`, weight, 'must be in the range 1-100')];
}

function validatePodTerm(term: PodTermFields, field: string): FieldError[] {
  const { topologyKey = '', labelSelector, namespaceSelector, namespaces, matchLabelKeys, mismatchLabelKeys } = term;
  return [
    ...(labelSelector ? validateLabelSelector(labelSelector, `${field}.labelSelector`) : []),
    ...(namespaceSelector ? validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`) : []),
    ...(namespaces ?? []).flatMap((name) => invalidBecause(`${field}.namespace`, name, labelProblems(name))),
    ...validateMatchKeys(matchLabelKeys ?? [], labelSelector, field, mismatchLabelKeys ?? []),
    ...(topologyKey === '' ? [required(`${field}.topologyKey`, 'can not be empty')] : []),
    ...invalidBecause(`${field}.topologyKey`, topologyKey, qualifiedNameProblems(topologyKey)),
  ];
}

/** @param isDemanded the values of what is only preferred are not looked at */
function validateNodeTerm({ matchExpressions, matchFields }: NodeTermFields, field: string, isDemanded: boolean) {
  return [
    ...(matchExpressions ?? []).flatMap((one, index) =>
      validateRequirement(one, `${field}.matchExpressions[${index}]`, isDemanded),
    ),
    ...(matchFields ?? []).flatMap((one, index) => validateFieldRequirement(one, `${field}.matchFields[${index}]`)),
  ];
}

function validateRequirement(
  { key = '', operator = '', values = [] }: Requirement,
  field: string,
  isDemanded: boolean,
): FieldError[] {
  return [
    ...validateOperator(operator, values ?? [], field),
    ...invalidBecause(`${field}.key`, key, qualifiedNameProblems(key)),
    ...(isDemanded ? (values ?? []) : []).flatMap((value, index) =>
      invalidBecause(`${field}.values[${index}]`, value, labelValueProblems(value)),
    ),
  ];
}

function validateOperator(operator: string, values: readonly string[], field: string): FieldError[] {
  const at = `${field}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? [] : [required(at, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      if (values.length === 1) return [];
      return [required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(`${field}.operator`, operator, 'not a valid selector operator')];
  }
}

/** Only the name of a node can be matched as a field. */
function validateFieldRequirement({ key = '', operator = '', values }: Requirement, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const given = values ?? [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalid(`${field}.operator`, operator, 'not a valid selector operator'));
  } else if (given.length !== 1) {
    errors.push(
      required(`${field}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
    );
  }
  if (key !== 'metadata.name') return [...errors, invalid(`${field}.key`, key, 'not a valid field selector key')];
  const ofNames = given.flatMap((name, index) =>
    invalidBecause(`${field}.values[${index}]`, name, subdomainProblems(name)),
  );
  return [...errors, ...ofNames];
}
