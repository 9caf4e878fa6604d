import { unchanged } from '@slipway/api-machinery/errors/field-checks';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { ageColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { defaultDeviceRequests, validateDeviceClaim } from './device-requests.js';
import { validateLabels } from './selector-validation.js';

export const resourceClaimTemplates = defineResource({
  group: 'resource.k8s.io',
  version: 'v1',
  since: '1.34',
  kind: 'ResourceClaimTemplate',
  plural: 'resourceclaimtemplates',
  namespaced: true,
  returnsDeleted: true,
  message: 'resource.v1.ResourceClaimTemplate',
  defaults: ({ spec }) => defaultDeviceRequests(spec?.spec?.devices ?? {}),
  validate: ({ spec }) => [
    ...validateLabels(spec?.metadata?.labels ?? {}, 'spec.metadata.labels'),
    ...validateDeviceClaim(spec?.spec?.devices ?? {}, 'spec.spec.devices'),
  ],
  validateUpdate: ({ spec }, old) => unchanged('spec', spec, old.spec, equalJson),
  columns: [ageColumn],
});
