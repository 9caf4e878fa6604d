import { invalidBecause, oneOf } from '@slipway/api-machinery/errors/field-checks';
import { duplicate, type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { qualifiedNameProblems } from '@slipway/api-machinery/errors/names';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import type { TopologySelectorTerm } from '@slipway/kube-objects/kinds/api/volumes';
import { storageClassWarnings } from '../warnings/storage-warnings.js';

/** Marks the class of claims that name none. */
export const defaultClassAnnotation = 'storageclass.kubernetes.io/is-default-class';

export const storageClasses = defineResource({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  shortNames: ['sc'],
  namespaced: false,
  returnsDeleted: true,
  message: 'storage.v1.StorageClass',
  warnings: storageClassWarnings,
  defaults(storageClass) {
    storageClass.reclaimPolicy ??= 'Delete';
    storageClass.volumeBindingMode ??= 'Immediate';
  },
  validate: validateClass,
  validateUpdate: (storageClass, old) => [
    ...(['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const)
      .filter((field) => !equalJson(storageClass[field], old[field]))
      .map((field) => invalid(field, null, 'field is immutable')),
  ],
  // The name says which class is the default one.
  namelessRows: true,
  columns: [
    { ...textColumn('Name', 'Name of the class.', nameText), format: 'name' },
    textColumn('Provisioner', 'Who makes the volumes.', ({ provisioner }) => provisioner ?? ''),
    textColumn('ReclaimPolicy', 'What happens to a volume when its claim is gone.', (each) => each.reclaimPolicy ?? ''),
    textColumn('VolumeBindingMode', 'When a claim gets its volume.', (each) => each.volumeBindingMode ?? ''),
    // A truth value that is said to be text.
    textColumn('AllowVolumeExpansion', 'Whether volumes may grow.', (each) => each.allowVolumeExpansion ?? false),
    ageColumn,
  ],
});

const reclaimPolicies = ['Delete', 'Retain'];
const bindingModes = ['Immediate', 'WaitForFirstConsumer'];

function validateClass(storageClass: KubeObject): FieldError[] {
  const { provisioner = '', parameters, reclaimPolicy, volumeBindingMode, allowedTopologies } = storageClass;
  return [
    ...(provisioner === ''
      ? [required('provisioner')]
      : invalidBecause('provisioner', provisioner, qualifiedNameProblems(provisioner.toLowerCase()))),
    ...(Object.keys(parameters ?? {}).includes('') ? [invalid('parameters', '', 'field can not be empty.')] : []),
    ...oneOf('reclaimPolicy', reclaimPolicy, reclaimPolicies),
    ...oneOf('volumeBindingMode', volumeBindingMode, bindingModes),
    ...repeatedTopologies(allowedTopologies ?? []),
  ];
}

/** Terms that say the same as one before them, or nothing. */
function repeatedTopologies(terms: readonly TopologySelectorTerm[]): FieldError[] {
  const keys = terms.map(({ matchLabelExpressions = [] }) =>
    JSON.stringify(matchLabelExpressions.map(({ key, values }) => [key, [...new Set(values)].sort()]).sort()),
  );
  return keys.flatMap((key, index) =>
    key === '[]' || keys.indexOf(key) < index
      ? [duplicate(`allowedTopologies[${index}].matchLabelExpressions`, '')]
      : [],
  );
}

function nameText({ metadata }: KubeObject): string {
  const isDefault = metadata.annotations?.[defaultClassAnnotation] === 'true';
  return `${metadata.name ?? ''}${isDefault ? ' (default)' : ''}`;
}
