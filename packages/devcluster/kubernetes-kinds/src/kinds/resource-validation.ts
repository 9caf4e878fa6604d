import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { duplicate, forbidden, invalid, notFound, required } from '@slipway/api-machinery/errors/field-error';
import { labelProblems, qualifiedNameProblems } from '@slipway/api-machinery/errors/names';
import { compareQuantity, formatQuantity, parseQuantity, quantity } from '@slipway/kube';
import type { ClaimReferenceFields, ResourceFields } from '@slipway/kube-objects/kinds/pod-spec';

const unit = quantity(1).nano;
const standardResources = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Validates the requests and limits of a container, or of a pod. */
export function validateResources(
  resources: ResourceFields,
  field: string,
  validateName: (name: string, field: string) => FieldError[] = validateContainerName,
): FieldError[] {
  const { requests = {}, limits = {} } = resources;
  const errors = [
    ...validateAmounts(limits, `${field}.limits`, validateName),
    ...validateAmounts(requests, `${field}.requests`, validateName),
  ];
  for (const [name, request] of Object.entries(requests)) {
    const limit = limits[name];
    if (limit === undefined) {
      if (!overcommits(name))
        errors.push(required(`${field}.limits`, 'Limit must be set for non overcommitable resources'));
      continue;
    }
    const order = compareQuantity(parseQuantity(request), parseQuantity(limit));
    if (overcommits(name) && order > 0) {
      errors.push(invalid(`${field}.requests`, request, `must be less than or equal to ${name} limit of ${limit}`));
    } else if (!overcommits(name) && order !== 0) {
      errors.push(invalid(`${field}.requests`, request, `must be equal to ${name} limit of ${limit}`));
    }
  }
  const names = Object.keys({ ...requests, ...limits });
  if (names.some((name) => name.startsWith('hugepages-')) && !names.includes('cpu') && !names.includes('memory')) {
    errors.push(forbidden(field, 'HugePages require cpu or memory'));
  }
  return errors;
}

/** Validates which claims of its pod a container uses. */
export function validateClaims(
  claims: NonNullable<ResourceFields['claims']>,
  ofPod: readonly ClaimReferenceFields[],
  field: string,
): FieldError[] {
  const known = [...new Set(ofPod.map(({ name = '' }) => name))].sort();
  const used = new Set<string>();
  return claims.flatMap(({ name = '', request = '' }, index) => {
    const at = `${field}[${index}]`;
    if (name === '') return [required(at)];
    const errors: FieldError[] = [];
    if (used.has(name)) errors.push(duplicate(at, name));
    else {
      if (request !== '') errors.push(...invalidBecause(`${at}.request`, request, labelProblems(request)));
      const key = request === '' ? name : `${name}/${request}`;
      if (used.has(key)) errors.push(duplicate(at, key));
      if (request === '') {
        for (const other of used) if (other.startsWith(`${name}/`)) errors.push(duplicate(at, name));
      }
      used.add(key);
    }
    if (!known.includes(name)) {
      const which = known.length === 0 ? ' which is empty' : `: ${known.join(', ')}`;
      errors.push({ ...notFound(at, name), detail: `must be one of the names in pod.spec.resourceClaims${which}` });
    }
    return errors;
  });
}

/** Validates amounts of resources: `{ cpu: "100m" }`. */
function validateAmounts(
  amounts: Readonly<Record<string, string>>,
  field: string,
  validateName: (name: string, field: string) => FieldError[],
): FieldError[] {
  return Object.entries(amounts).flatMap(([name, amount]) => {
    const at = `${field}[${name}]`;
    const errors = validateName(name, at);
    const amountOf = parseQuantity(amount);
    if (amountOf.nano < 0n) errors.push(invalid(at, amount, 'must be greater than or equal to 0'));
    if (isCounted(name) && amountOf.nano % unit !== 0n)
      errors.push(invalid(at, formatQuantity(amountOf), 'must be an integer'));
    return errors;
  });
}

/** Validates the name of a resource that a container can ask for. */
export function validateContainerName(name: string, field: string): FieldError[] {
  const errors = validateResourceName(name, field);
  if (!isStandard(name)) errors.push(invalid(field, name, 'must be a standard resource for containers'));
  return errors;
}

/** Validates the name of a resource: a standard one, or one with the domain of who defines it. */
export function validateResourceName(name: string, field: string): FieldError[] {
  const errors = invalidBecause(field, name, qualifiedNameProblems(name));
  if (errors.length > 0 || isStandard(name)) return errors;
  return [invalid(field, name, 'must be a standard resource type or fully qualified')];
}

function isStandard(name: string): boolean {
  return name.includes('/') || standardResources.has(name) || name.startsWith('hugepages-');
}

/** Whether there are only whole ones of a resource: of devices, which have a name of their own, and of pods. */
function isCounted(name: string): boolean {
  return name === 'pods' || (name.includes('/') && !name.includes('kubernetes.io/'));
}

/** Whether more of a resource may be promised than there is: not of devices and huge pages. */
export function overcommits(name: string): boolean {
  return !name.includes('/') && !name.startsWith('hugepages-');
}
