import { invalid, tooLong } from '@slipway/api-machinery/errors/field-error';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { bytesOf, maxDataBytes, validateFrozen, validateKeys } from './config-data.js';

export const configMaps = defineResource({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  namespaced: true,
  message: 'core.v1.ConfigMap',
  nameRules: 'last',
  *validating({ data = {}, binaryData = {} }) {
    const ofKeys = [...(yield* validateKeys(data, 'data')), ...(yield* validateKeys(binaryData, 'binaryData'))];
    const twice = Object.keys(binaryData)
      .filter((key) => Object.hasOwn(data, key))
      .map((key) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    const bytes = (yield* bytesOf(data, 'utf8')) + (yield* bytesOf(binaryData, 'base64'));
    return [...ofKeys, ...twice, ...(bytes > maxDataBytes ? [tooLong('', maxDataBytes)] : [])];
  },
  validateUpdate: (configMap, old) => validateFrozen(configMap, old, ['data', 'binaryData']),
  columns: [
    textColumn(
      'Data',
      'How many entries there are.',
      ({ data = {}, binaryData = {} }) => Object.keys(data).length + Object.keys(binaryData).length,
    ),
    ageColumn,
  ],
});
