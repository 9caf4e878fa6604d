import { ageColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';

export const serviceAccounts = defineResource({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  namespaced: true,
  returnsDeleted: true,
  message: 'core.v1.ServiceAccount',
  subresources: { token: true },
  columns: [ageColumn],
});
