import type { FieldSet } from './field-set.js';

/** Fields without an owner: those that identify the object and those that the server sets. */
export const systemManagedFields: FieldSet = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': {
    '.': {},
    'f:name': {},
    'f:namespace': {},
    'f:creationTimestamp': {},
    'f:selfLink': {},
    'f:uid': {},
    'f:clusterName': {},
    'f:generation': {},
    'f:managedFields': {},
    'f:resourceVersion': {},
  },
};
