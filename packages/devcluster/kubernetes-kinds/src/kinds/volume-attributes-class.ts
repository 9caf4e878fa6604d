import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, forbidden, required } from '@slipway/api-machinery/errors/field-error';
import { qualifiedNameProblems } from '@slipway/api-machinery/errors/names';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';

const defaultClassAnnotation = 'volumeattributesclass.alpha.kubernetes.io/is-default-class';

/** Kept for those who apply it: simulated volumes have no attributes to change. */
export const volumeAttributesClasses = defineResource({
  group: 'storage.k8s.io',
  version: 'v1',
  since: '1.34',
  kind: 'VolumeAttributesClass',
  plural: 'volumeattributesclasses',
  shortNames: ['vac'],
  namespaced: false,
  returnsDeleted: true,
  message: 'storage.v1.VolumeAttributesClass',
  validate: ({ driverName = '', parameters }) => validateClass(driverName, parameters ?? {}),
  validateUpdate: (volumeClass, old) =>
    (['driverName', 'parameters'] as const)
      .filter((field) => !equalJson(volumeClass[field], old[field]))
      .map((field) => forbidden(field, `updates to ${field} are forbidden.`)),
  // The name says which class is the default one.
  namelessRows: true,
  columns: [
    {
      ...textColumn('Name', 'Name of the class.', ({ metadata: { name = '', annotations } }) =>
        annotations?.[defaultClassAnnotation] === 'true' ? `${name} (default)` : name,
      ),
      format: 'name',
    },
    textColumn('DriverName', 'Driver whose volumes it is for.', ({ driverName }) => driverName ?? ''),
    ageColumn,
  ],
});

function validateClass(driverName: string, parameters: Readonly<Record<string, string>>): FieldError[] {
  return [
    ...(driverName === ''
      ? [required('driverName')]
      : invalidBecause('driverName', driverName, qualifiedNameProblems(driverName.toLowerCase()))),
    ...(Object.keys(parameters).length === 0
      ? [required('parameters', 'must contain at least one key/value pair')]
      : []),
  ];
}
