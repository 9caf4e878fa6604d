import { labelProblems } from '@slipway/api-machinery/errors/names';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource, restore } from '@slipway/api-server/registry/define-resource';

const nameLabel = 'kubernetes.io/metadata.name';

export const namespaces = defineResource({
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  shortNames: ['ns'],
  namespaced: false,
  hasNoUnsafeDelete: true,
  message: 'core.v1.Namespace',
  subresources: { status: true, finalize: true },
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  nameProblems: labelProblems,
  defaults(namespace) {
    const { metadata } = namespace;
    // Selectors of network policies and the like find a namespace by its name.
    if (metadata.name) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name };
    namespace.status = { ...namespace.status, phase: namespace.status?.phase || 'Active' };
  },
  initialStatus: () => ({ phase: 'Active' }),
  prepareForCreate(namespace) {
    const finalizers: readonly string[] = namespace.spec?.finalizers ?? [];
    namespace.spec = { finalizers: finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'] };
  },
  prepareForUpdate(namespace, old, { subresource }) {
    // What the namespace waits for is taken away by `finalize` alone.
    if (subresource !== 'finalize') restore(namespace, old, 'spec');
  },
  selectableFields: {
    'status.phase': ({ status }) => status?.phase ?? '',
    name: ({ metadata }) => metadata.name ?? '',
  },
  columns: [
    textColumn('Status', 'Whether the namespace is in use or going away.', ({ status }) => status?.phase ?? ''),
    ageColumn,
  ],
});
