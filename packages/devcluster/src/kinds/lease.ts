import { ageColumn, textColumn } from './columns.js';
import { defineResource } from './define-resource.js';
import { invalid, nonNegative } from './field-error.js';

export const leases = defineResource({
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
  message: 'coordination.v1.Lease',
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
