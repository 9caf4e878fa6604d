import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { ageColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import {
  type DeviceConfigFields,
  type DeviceSelectorFields,
  validateConfig,
  validateSelectors,
} from './device-requests.js';

export const deviceClasses = defineResource({
  group: 'resource.k8s.io',
  version: 'v1',
  since: '1.34',
  kind: 'DeviceClass',
  plural: 'deviceclasses',
  namespaced: false,
  returnsDeleted: true,
  message: 'resource.v1.DeviceClass',
  generation: ['spec'],
  validate: ({ spec }) => validateSpec(spec ?? {}),
  columns: [ageColumn],
});

function validateSpec(spec: { selectors?: DeviceSelectorFields[] | null; config?: DeviceConfigFields[] | null }) {
  return [
    ...validateSelectors(spec.selectors, 'spec.selectors'),
    ...(spec.config ?? []).flatMap((one, index): FieldError[] => validateConfig(one, `spec.config[${index}]`)),
  ];
}
