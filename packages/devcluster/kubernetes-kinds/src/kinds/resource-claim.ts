import { invalid } from '@slipway/api-machinery/errors/field-error';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import { defaultDeviceRequests, validateDeviceClaim } from './device-requests.js';
import { dropStatusOfFreedDevices, validateClaimStatus } from './resource-claim-status.js';

export const resourceClaims = defineResource({
  group: 'resource.k8s.io',
  version: 'v1',
  since: '1.34',
  kind: 'ResourceClaim',
  plural: 'resourceclaims',
  namespaced: true,
  statusKeeps: 'metadata',
  returnsDeleted: true,
  message: 'resource.v1.ResourceClaim',
  subresources: { status: true },
  defaults: ({ spec }) => defaultDeviceRequests(spec?.devices ?? {}),
  validateCreate: ({ spec }) => validateDeviceClaim(spec?.devices ?? {}, 'spec.devices'),
  prepareForUpdate: dropStatusOfFreedDevices,
  validateUpdate: (claim, old) => [
    ...(equalJson(claim.spec, old.spec) ? [] : [invalid('spec', null, 'field is immutable')]),
    ...validateClaimStatus(claim, old),
  ],
  columns: [textColumn('State', 'How far it is.', stateOf), ageColumn],
});

function stateOf({ metadata, status }: KubeObject): string {
  const states = [
    ...(metadata.deletionTimestamp ? ['deleted'] : []),
    ...(status?.allocation ? ['allocated'] : metadata.deletionTimestamp ? [] : ['pending']),
    ...(status?.reservedFor?.length ? ['reserved'] : []),
  ];
  return states.join(',');
}
