import { type FieldError, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { dns1035Problems, subdomainProblems } from '@slipway/api-machinery/errors/names';
import { groupResource } from '@slipway/api-machinery/errors/status-errors';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { isConditionTrue, type KubeObject } from '@slipway/kube';
import { type ConditionFields, validateConditions } from './condition-validation.js';

interface MigratedFields {
  readonly group?: string;
  readonly resource?: string;
}

interface MigrationStatusFields {
  readonly conditions?: readonly ConditionFields[] | null;
  readonly resourceVersion?: string;
}

/** Asks for all objects of a resource to be written anew, in the version that new ones are stored in. */
export const storageVersionMigrations = defineResource({
  group: 'storagemigration.k8s.io',
  version: 'v1',
  since: '1.37',
  storageVersion: 'v1beta1',
  kind: 'StorageVersionMigration',
  plural: 'storageversionmigrations',
  namespaced: false,
  mustNameVersion: true,
  statusKeeps: 'metadata',
  message: 'storagemigration.v1.StorageVersionMigration',
  subresources: { status: true },
  validate: ({ spec }) => validateResource(spec?.resource ?? {}),
  validateUpdate: ({ spec, status }, old, subresource) => {
    if (subresource === 'status') return validateStatus(status ?? {}, old.status ?? {});
    const [now, before] = [spec, old.spec].map((each) => named(each?.resource ?? {}));
    // Kubernetes prints the field as its Go struct.
    return equalJson(now, before) ? [] : [invalid('spec', { Resource: now }, 'field is immutable')];
  },
  namelessRows: true,
  columns: [
    textColumn('Name', 'Name of the migration.', ({ metadata }) => metadata.name ?? ''),
    textColumn('Resource', 'What is migrated.', ({ spec }) => {
      const { group, resource } = named(spec?.resource ?? {});
      return groupResource({ group, plural: resource });
    }),
    textColumn('Status', 'How far it is.', stateOf),
  ],
});

function named({ group = '', resource = '' }: MigratedFields) {
  return { group, resource };
}

function validateResource({ group = '', resource = '' }: MigratedFields): FieldError[] {
  const field = 'spec.resource';
  const check = (part: string, value: string, problems: readonly string[]) =>
    problems.length > 0 ? [invalid(`${field}.${part}`, value, problems.join(','))] : [];
  return [
    ...(resource === ''
      ? [required(`${field}.resource`, 'resource is required to be set')]
      : check('resource', resource, dns1035Problems(resource))),
    ...(group === '' ? [] : check('group', group, subdomainProblems(group))),
  ];
}

function validateStatus(status: MigrationStatusFields, old: MigrationStatusFields): FieldError[] {
  const [now, before] = [status.conditions ?? [], old.conditions ?? []];
  const field = 'status.conditions';
  const version = status.resourceVersion ?? '';
  const versionField = 'status.resourceVersion';
  const is = isConditionTrue;
  const ended = (type: string, word: string) =>
    is(before, type) && !is(now, type)
      ? [invalid(field, now, `${word} condition cannot be set to false once it is true`)]
      : [];
  return [
    ...(version === '' || /^[1-9]\d*$/.test(version)
      ? []
      : [invalid(versionField, version, `resource version is not well formed: ${version}`)]),
    ...validateConditions(now, field),
    ...(old.resourceVersion && version !== old.resourceVersion
      ? [invalid(versionField, version, 'field is immutable')]
      : []),
    ...(is(now, 'Succeeded') && is(now, 'Failed')
      ? [invalid(field, now, 'Both success and failed conditions cannot be true at the same time')]
      : []),
    ...ended('Succeeded', 'Success'),
    ...ended('Failed', 'Failed'),
  ];
}

function stateOf({ status }: KubeObject): string {
  const conditions: readonly ConditionFields[] = status?.conditions ?? [];
  const states = conditions.filter(({ status }) => status === 'True').map(({ type = '' }) => type);
  return states.findLast((state) => ['Running', 'Failed', 'Succeeded'].includes(state)) ?? 'Unknown';
}
