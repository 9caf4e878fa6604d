import { defineResource } from '../registry/define-resource.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { type CustomResourceDefinition, conditionOf, storageVersion } from './definition-object.js';
import { definitionWarnings } from './definition-warnings.js';
import { ageDescription } from './printer-columns.js';
import {
  schemaPlaces,
  validateChangedDefinition,
  validateDefinitionStatus,
  validateNewDefinition,
} from './validate-definition.js';
import { validateInSlices } from './validate-schema.js';

/** Holds a CustomResourceDefinition until its objects are gone. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';

/** The kind that makes kinds. Its objects come to life through `definitionController`. */
export const customResourceDefinitions: ResourceDefinition = {
  ...defineResource({
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    namespaced: false,
    message: 'apiextensions.v1.CustomResourceDefinition',
    subresources: { status: true },
    generation: ['spec'],
    columns: [
      {
        name: 'Created At',
        type: 'date',
        description: ageDescription,
        priority: 0,
        cell: ({ metadata }) => metadata.creationTimestamp ?? '<unknown>',
      },
    ],
    defaults: (object) => applyDefaults(object as CustomResourceDefinition),
    initialStatus: (object) => initialStatus(object as CustomResourceDefinition),
    prepareForUpdate(object, _, { subresource }) {
      if (subresource === '') recordStorageVersion(object as CustomResourceDefinition);
    },
    validateUpdate: (object, old, subresource) =>
      subresource === 'status'
        ? validateDefinitionStatus(object as CustomResourceDefinition)
        : validateChangedDefinition(object as CustomResourceDefinition, old as CustomResourceDefinition),
  }),
  prepareToValidate: (object) => validateInSlices(schemaPlaces(object as CustomResourceDefinition)),
  validateCreate: (object) => validateNewDefinition(object as CustomResourceDefinition),
  // biome-ignore lint/correctness/useYield: there is too little to do
  *warnings(object) {
    return definitionWarnings(object as CustomResourceDefinition);
  },
  prepareForDelete: (object, { nowMs }) => beginDeletion(object as CustomResourceDefinition, nowMs),
};

function applyDefaults(definition: CustomResourceDefinition): void {
  const { spec } = definition;
  spec.names ??= {};
  const { kind = '' } = spec.names;
  if (kind !== '') {
    spec.names.singular ||= kind.toLowerCase();
    spec.names.listKind ||= `${kind}List`;
  }
  spec.conversion ??= { strategy: 'None' };
  const service = spec.conversion.webhook?.clientConfig?.service as { port?: number } | undefined;
  if (service) service.port ??= 443;
  if (definition.status && !definition.status.storedVersions?.length) {
    definition.status = { ...definition.status, storedVersions: storedVersions(definition) };
  }
}

function initialStatus(definition: CustomResourceDefinition): CustomResourceDefinition['status'] {
  return {
    conditions: null,
    acceptedNames: { plural: '', kind: '' },
    storedVersions: storedVersions(definition),
  };
}

function storedVersions(definition: CustomResourceDefinition): string[] | null {
  const version = storageVersion(definition);
  return version ? [version.name] : null;
}

/** Objects may be stored at every version that was the storage version once. */
function recordStorageVersion(definition: CustomResourceDefinition): void {
  const version = storageVersion(definition);
  const stored = definition.status.storedVersions ?? [];
  if (version && !stored.includes(version.name)) {
    definition.status = { ...definition.status, storedVersions: [...stored, version.name] };
  }
}

function beginDeletion(definition: CustomResourceDefinition, nowMs: number): void {
  const { metadata } = definition;
  if (metadata.deletionTimestamp) return;
  const now = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  metadata.deletionTimestamp = now;
  if (!metadata.finalizers?.includes(cleanupFinalizer)) {
    metadata.finalizers = [...(metadata.finalizers ?? []), cleanupFinalizer];
  }
  if (conditionOf(definition, 'Terminating')) return;
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: now,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  } as const;
  definition.status = { ...definition.status, conditions: [...(definition.status.conditions ?? []), terminating] };
}
