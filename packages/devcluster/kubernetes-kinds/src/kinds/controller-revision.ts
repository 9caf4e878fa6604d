import { nonNegative, unchanged } from '@slipway/api-machinery/errors/field-checks';
import { required } from '@slipway/api-machinery/errors/field-error';
import { equalJson, isJsonObject } from '@slipway/api-machinery/json/json-value';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { controllerOf } from '@slipway/kube';

export const controllerRevisions = defineResource({
  group: 'apps',
  version: 'v1',
  kind: 'ControllerRevision',
  plural: 'controllerrevisions',
  namespaced: true,
  message: 'apps.v1.ControllerRevision',
  nameRules: 'last',
  validate: ({ revision, data }) => [
    ...((data ?? null) === null ? [required('data', 'data is mandatory')] : []),
    ...nonNegative('revision', revision),
  ],
  validateCreate: ({ data }) =>
    (data ?? null) === null || isJsonObject(data) ? [] : [required('data', 'data must be a valid JSON object')],
  validateUpdate: ({ data }, old) => unchanged('data', data, old.data, equalJson),
  columns: [
    textColumn('Controller', 'What the revision belongs to.', (revision) => {
      const owner = controllerOf(revision);
      if (!owner) return '<none>';
      const group = owner.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : '';
      return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
    }),
    // A number that is said to be text.
    textColumn('Revision', 'Number of the revision; the highest is the newest.', ({ revision }) => revision ?? 0),
    ageColumn,
  ],
});
