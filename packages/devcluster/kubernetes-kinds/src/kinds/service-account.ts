import { ageColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';

const mountable = 'kubernetes.io/enforce-mountable-secrets';
const advice = 'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets';

export const serviceAccounts = defineResource({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  namespaced: true,
  returnsDeleted: true,
  message: 'core.v1.ServiceAccount',
  nameRules: 'last',
  warnings: ({ metadata }, old) =>
    mountable in (metadata.annotations ?? {}) && !(mountable in (old?.metadata.annotations ?? {}))
      ? [`metadata.annotations[${mountable}]: ${advice}`]
      : [],
  subresources: { token: true },
  columns: [ageColumn],
});
