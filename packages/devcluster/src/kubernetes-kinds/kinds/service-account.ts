import { ageColumn } from '../../api-server/registry/columns.js';
import { defineResource } from '../../api-server/registry/define-resource.js';

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
