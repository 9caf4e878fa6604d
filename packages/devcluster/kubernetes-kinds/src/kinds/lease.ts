import { nonNegative } from '@slipway/api-machinery/errors/field-checks';
import { invalid } from '@slipway/api-machinery/errors/field-error';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';

export const leases = defineResource({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
  mustNameVersion: true,
  createdByPut: true,
  message: 'coordination.v1.Lease',
  nameRules: 'create',
  validate({ spec = {} }) {
    const { leaseDurationSeconds, leaseTransitions } = spec;
    const isTooShort = leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0;
    return [
      ...(isTooShort ? [invalid('spec.leaseDurationSeconds', leaseDurationSeconds, 'must be greater than 0')] : []),
      ...nonNegative('spec.leaseTransitions', leaseTransitions),
    ];
  },
  columns: [textColumn('Holder', 'Who holds the lease.', ({ spec }) => spec?.holderIdentity ?? ''), ageColumn],
});
