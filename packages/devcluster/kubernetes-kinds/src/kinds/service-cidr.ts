import { unchanged } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { canonicalCidr, parseCidr } from '@slipway/kube-objects/rules/cidr';

/** Ranges that services get their addresses from. */
export const serviceCidrs = defineResource({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  namespaced: false,
  statusKeeps: 'metadata',
  message: 'networking.v1.ServiceCIDR',
  subresources: { status: true },
  validate: ({ spec }) => validateRanges(spec?.cidrs ?? []),
  validateUpdate: ({ spec }, old, subresource) =>
    subresource === '' ? keepsRanges(spec?.cidrs ?? [], old.spec?.cidrs ?? []) : [],
  columns: [
    textColumn('CIDRs', 'Ranges of addresses for services.', ({ spec }) => (spec?.cidrs ?? []).join(',')),
    ageColumn,
  ],
});

const field = 'spec.cidrs';

function validateRanges(cidrs: readonly string[]): FieldError[] {
  if (cidrs.length === 0) return [required(field, 'at least one CIDR required')];
  if (cidrs.length > 2) return [invalid(field, { cidrs }, 'may only hold up to 2 values')];
  const ranges = cidrs.map(parseCidr);
  const [first, second] = ranges;
  const mixed = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/96';
  return [
    ...(first && second && first.family === second.family ? [invalid(field, { cidrs }, mixed)] : []),
    ...ranges.flatMap((range, index) => {
      const at = `${field}[${index}]`;
      if (!range) return [invalid(at, cidrs[index], 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];
      const canonical = canonicalCidr(range);
      return canonical === cidrs[index]
        ? []
        : [invalid(at, cidrs[index], `must be in canonical form (${JSON.stringify(canonical)})`)];
    }),
  ];
}

/** A range of the other family may be added, and nothing else may change. */
function keepsRanges(cidrs: readonly string[], old: readonly string[]): FieldError[] {
  if (cidrs.length < old.length) return [invalid(field, cidrs, 'field is immutable')];
  return old.flatMap((before, index) => unchanged(`${field}[${index}]`, cidrs[index], before, (a, b) => a === b));
}
