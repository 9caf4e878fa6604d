import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { forbidden, invalid, invalidBecause, required } from '@slipway/api-machinery/errors/field-error';
import { qualifiedNameProblems } from '@slipway/api-machinery/errors/names';
import { compareQuantity, formatQuantity, parseQuantity, quantity } from '@slipway/kube';
import type { ResourceFields } from '../../kube-objects/kinds/pod-spec.js';

const unit = quantity(1).nano;
const standardResources = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Validates the requests and limits of a container. */
export function validateResources(resources: ResourceFields, field: string): FieldError[] {
  const { requests = {}, limits = {} } = resources;
  const errors = [...validateAmounts(limits, `${field}.limits`), ...validateAmounts(requests, `${field}.requests`)];
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

/** Validates amounts of resources: `{ cpu: "100m" }`. */
export function validateAmounts(amounts: Readonly<Record<string, string>>, field: string): FieldError[] {
  return Object.entries(amounts).flatMap(([name, amount]) => {
    const at = `${field}[${name}]`;
    const errors = invalidBecause(at, name, qualifiedNameProblems(name));
    if (errors.length === 0 && !name.includes('/') && !standardResources.has(name) && !name.startsWith('hugepages-')) {
      errors.push(invalid(at, name, 'must be a standard resource type or fully qualified'));
      errors.push(invalid(at, name, 'must be a standard resource for containers'));
    }
    const amountOf = parseQuantity(amount);
    if (amountOf.nano < 0n) errors.push(invalid(at, amount, 'must be greater than or equal to 0'));
    if (isCounted(name) && amountOf.nano % unit !== 0n)
      errors.push(invalid(at, formatQuantity(amountOf), 'must be an integer'));
    return errors;
  });
}

/** Whether there are only whole ones of a resource: of devices, which have a name of their own, and of pods. */
function isCounted(name: string): boolean {
  return name === 'pods' || (name.includes('/') && !name.includes('kubernetes.io/'));
}

/** Whether more of a resource may be promised than there is: not of devices and huge pages. */
function overcommits(name: string): boolean {
  return !name.includes('/') && !name.startsWith('hugepages-');
}
