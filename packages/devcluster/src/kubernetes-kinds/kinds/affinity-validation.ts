import { appendErrors } from '@slipway/api-machinery/errors/append-errors';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { forbidden, invalid, invalidBecause, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { qualifiedNameProblems } from '@slipway/api-machinery/errors/names';
import type { AffinityFields } from '../../kube-objects/kinds/pod-spec.js';

type NodeTerm = NonNullable<
  NonNullable<
    NonNullable<AffinityFields['nodeAffinity']>['requiredDuringSchedulingIgnoredDuringExecution']
  >['nodeSelectorTerms']
>[number];
type Requirement = NonNullable<NodeTerm['matchExpressions']>[number];

const requiredPart = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferredPart = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Validates the affinity of a pod. */
export function validateAffinity(
  { nodeAffinity, podAffinity, podAntiAffinity }: AffinityFields,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const demanded = nodeAffinity?.[requiredPart];
  if (demanded) {
    const at = `${field}.nodeAffinity.${requiredPart}.nodeSelectorTerms`;
    const terms = demanded.nodeSelectorTerms ?? [];
    if (terms.length === 0) errors.push(required(at, 'must have at least one node selector term'));
    appendErrors(
      errors,
      terms.flatMap((term, index) => validateNodeTerm(term, `${at}[${index}]`)),
    );
  }
  for (const [index, { weight, preference }] of (nodeAffinity?.[preferredPart] ?? []).entries()) {
    const at = `${field}.nodeAffinity.${preferredPart}[${index}]`;
    appendErrors(errors, [...validateWeight(weight, at), ...validateNodeTerm(preference, `${at}.preference`)]);
  }
  for (const [name, affinity] of Object.entries({ podAffinity, podAntiAffinity })) {
    for (const [index, term] of (affinity?.[requiredPart] ?? []).entries()) {
      errors.push(...validateTopologyKey(term.topologyKey, `${field}.${name}.${requiredPart}[${index}]`));
    }
    for (const [index, { weight, podAffinityTerm }] of (affinity?.[preferredPart] ?? []).entries()) {
      const at = `${field}.${name}.${preferredPart}[${index}]`;
      errors.push(
        ...validateWeight(weight, at),
        ...validateTopologyKey(podAffinityTerm.topologyKey, `${at}.podAffinityTerm`),
      );
    }
  }
  return errors;
}

function validateWeight(weight: number, field: string): FieldError[] {
  return weight >= 1 && weight <= 100 ? [] : [invalid(`${field}.weight`, weight, 'must be in the range 1-100')];
}

function validateTopologyKey(topologyKey: string | undefined, field: string): FieldError[] {
  if (!topologyKey) return [required(`${field}.topologyKey`, 'can not be empty')];
  return invalidBecause(`${field}.topologyKey`, topologyKey, qualifiedNameProblems(topologyKey));
}

const operators = ['DoesNotExist', 'Exists', 'Gt', 'In', 'Lt', 'NotIn'];

function validateNodeTerm({ matchExpressions = [], matchFields = [] }: NodeTerm, field: string): FieldError[] {
  return [
    ...matchExpressions.flatMap((one, index) => validateRequirement(one, `${field}.matchExpressions[${index}]`)),
    ...matchFields.flatMap((one, index) => validateFieldRequirement(one, `${field}.matchFields[${index}]`)),
  ];
}

function validateRequirement({ key, operator, values = [] }: Requirement, field: string): FieldError[] {
  const errors = invalidBecause(`${field}.key`, key, qualifiedNameProblems(key));
  if (!operators.includes(operator)) {
    errors.push(invalid(`${field}.operator`, operator, 'not a valid selector operator'));
  } else if ((operator === 'In' || operator === 'NotIn') && values.length === 0) {
    errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
    errors.push(forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else if ((operator === 'Gt' || operator === 'Lt') && values.length !== 1) {
    errors.push(required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
  }
  return errors;
}

/** Only the name of a node can be matched as a field. */
function validateFieldRequirement({ key, operator, values = [] }: Requirement, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalid(`${field}.operator`, operator, 'not a valid selector operator'));
  } else if (values.length !== 1) {
    errors.push(
      required(`${field}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"),
    );
  }
  if (key !== 'metadata.name') errors.push(notSupported(`${field}.key`, key, ['metadata.name']));
  return errors;
}
