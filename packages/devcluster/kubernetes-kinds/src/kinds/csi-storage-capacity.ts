import { invalidBecause, unchanged } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid } from '@slipway/api-machinery/errors/field-error';
import { subdomainProblems } from '@slipway/api-machinery/errors/names';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { parseQuantity } from '@slipway/kube';
import { validateLabelSelector } from './selector-validation.js';

export const csiStorageCapacities = defineResource({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIStorageCapacity',
  plural: 'csistoragecapacities',
  namespaced: true,
  mustNameVersion: true,
  message: 'storage.v1.CSIStorageCapacity',
  validate: ({ nodeTopology, storageClassName = '', capacity, maximumVolumeSize }) => [
    ...invalidBecause('storageClassName', storageClassName, subdomainProblems(storageClassName)),
    ...validateAmount('capacity', capacity),
    ...validateAmount('maximumVolumeSize', maximumVolumeSize),
    ...(nodeTopology ? validateLabelSelector(nodeTopology, 'nodeTopology') : []),
  ],
  validateUpdate: ({ nodeTopology, storageClassName }, old) => [
    ...unchanged('nodeTopology', nodeTopology, old.nodeTopology, equalJson),
    ...unchanged('storageClassName', storageClassName, old.storageClassName, equalJson),
  ],
  columns: [
    textColumn('StorageClassName', 'Class that the capacity is of.', ({ storageClassName }) => storageClassName ?? ''),
    textColumn('Capacity', 'How much can be had there.', ({ capacity }) => capacity ?? ''),
    ageColumn,
  ],
});

function validateAmount(field: string, amount: string | undefined): FieldError[] {
  if (amount === undefined || parseQuantity(amount).nano >= 0n) return [];
  return [invalid(field, amount, 'must be greater than or equal to 0')];
}
