import { type FieldError, forbidden, invalid, notSupported } from '@slipway/api-machinery/errors/field-error';
import { compareQuantity, formatQuantity, parseQuantity } from '@slipway/kube';
import type { PodSpecFields } from '@slipway/kube-objects/kinds/pod-spec';
import { containerLimits, containerRequests } from '@slipway/kube-objects/rules/pod-amounts';
import { validateClaims, validateResourceName, validateResources } from './resource-validation.js';

/** Validates the requests and limits that a pod has as a whole. */
export function validatePodResources(spec: PodSpecFields, field: string): FieldError[] {
  const { resources, os, resourceClaims } = spec;
  if (!resources) return [];
  if (os?.name === 'windows') return [forbidden(field, 'may not be set for a windows pod')];
  const { claims } = resources;
  return [
    ...(claims ? [forbidden(`${field}.claims`, 'claims may not be set for Resources at pod-level')] : []),
    ...validateResources(resources, field, validateName),
    ...validateClaims(claims ?? [], resourceClaims ?? [], `${field}.claims`),
    ...validateSums(spec, field),
    ...validateContainerLimits(spec, field),
  ];
}

const supported = ['cpu', 'hugepages-', 'memory'];

function validateName(name: string, field: string): FieldError[] {
  const errors = validateResourceName(name, field);
  if (errors.length > 0 || name === 'cpu' || name === 'memory' || name.startsWith('hugepages-')) return errors;
  return [notSupported(field, name, supported)];
}

/** What the containers ask for must fit into what the pod asks for. */
function validateSums({ resources, ...spec }: PodSpecFields, field: string): FieldError[] {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec };
  const sums = [
    ['requests', containerRequests(pod), () => true],
    ['limits', containerLimits(pod), (name: string) => name.startsWith('hugepages-')],
  ] as const;
  return sums.flatMap(([part, amounts, counts]) =>
    Object.entries(amounts).flatMap(([name, sum]) => {
      const own = resources?.[part]?.[name];
      if (own === undefined || !counts(name) || compareQuantity(sum, parseQuantity(own)) <= 0) return [];
      const detail = `must be greater than or equal to aggregate container ${part} of ${formatQuantity(sum)}`;
      return [invalid(`${field}.${part}[${name}]`, own, detail)];
    }),
  );
}

function validateContainerLimits({ containers, resources }: PodSpecFields, field: string): FieldError[] {
  return (containers ?? []).flatMap((container, index) =>
    Object.entries(container.resources?.limits ?? {}).flatMap(([name, limit]) => {
      const own = resources?.limits?.[name];
      if (own === undefined || compareQuantity(parseQuantity(limit), parseQuantity(own)) <= 0) return [];
      const at = `${field}.containers[${index}][${name}].limits`;
      return [invalid(at, limit, `must be less than or equal to pod limits of ${own}`)];
    }),
  );
}
