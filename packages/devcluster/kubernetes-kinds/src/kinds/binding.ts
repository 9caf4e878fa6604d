import { defineResource } from '@slipway/api-server/registry/define-resource';

/** The old way to put a pod on a node: a create here is one of `pods/binding`. */
export const bindings = defineResource({
  group: '',
  version: 'v1',
  kind: 'Binding',
  plural: 'bindings',
  namespaced: true,
  message: 'core.v1.Binding',
  verbs: ['create'],
  storedAs: '',
  createsPart: { plural: 'pods', subresource: 'binding' },
  columns: [],
});
