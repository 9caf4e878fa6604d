import { equalJson } from '../patch/json-value.js';
import { ageColumn } from './columns.js';
import { defineResource } from './define-resource.js';
import { defaultDeviceRequests, validateDeviceClaim } from './device-requests.js';
import { unchanged } from './field-error.js';
import { validateLabels } from './pod-spec-validation.js';

/** Kept for those who apply it: no claims are made from it. */
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
