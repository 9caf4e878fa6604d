import type { KubeObject } from '@slipway/kube';
import type { FieldError, ResourceDefinition } from '../registry/resource-definition.js';
import { forbidden, groupResource } from '../registry/status-errors.js';
import { customSchema } from './custom-schema.js';
import {
  type CustomResourceDefinition,
  conditionOf,
  schemaOf,
  storageVersion,
  type Version,
} from './definition-object.js';
import { parseJsonPath, valuesAt } from './json-path.js';
import { isObject, ownFields } from './json-schema.js';
import { printerColumns } from './printer-columns.js';
import { selectorsOf } from './selectable-fields.js';
import { servedView } from './served-view.js';

/**
 * What the API server works with, for every served version of a definition whose
 * names are accepted. While it terminates, objects can be read and removed, not made.
 */
export function customDefinitions(definition: CustomResourceDefinition): ResourceDefinition[] {
  const versions = definition.spec.versions.filter((version) => version.served);
  return versions.map((version) => customDefinition(definition, version));
}

function customDefinition(definition: CustomResourceDefinition, version: Version): ResourceDefinition {
  const { group, names, scope } = definition.spec;
  const accepted = { ...names, ...definition.status.acceptedNames };
  const {
    plural = '',
    kind = '',
    listKind = `${kind}List`,
    singular = '',
    shortNames = [],
    categories = [],
  } = accepted;
  const ref = { group, version: version.name, kind, plural, namespaced: scope === 'Namespaced' };
  const schema = customSchema(ref, schemaOf(version));
  const view = viewOf(definition, version);
  const { status, scale } = version.subresources ?? {};
  const deprecationWarning = version.deprecated ? deprecationOf(definition, version) : undefined;
  const validate = (object: KubeObject) => (scale ? validateScaleFields(object, scale) : []);
  return {
    ...ref,
    listKind,
    singular,
    shortNames,
    categories,
    origin: 'custom',
    storedAs: groupResource(ref),
    schema,
    subresources: { ...(status && { status: true }), ...(scale && { scale }) },
    generationFields: generationFields(version),
    applyDefaults: (object) => schema.applyDefaults(object),
    prepareForCreate(object) {
      if (definition.metadata.deletionTimestamp) {
        const why = 'create not allowed while custom resource definition is terminating';
        throw forbidden(ref, object.metadata.name ?? '', why);
      }
      if (status) delete object.status;
    },
    validateCreate: validate,
    validateUpdate: validate,
    warnings: (object, old) => (old ? schema.warnings(object, old) : []),
    columns: printerColumns(version.additionalPrinterColumns),
    selectableFields: selectorsOf(version.selectableFields),
    ...(deprecationWarning !== undefined && { deprecationWarning }),
    ...(view && { view }),
  };
}

/** Everything but metadata raises the generation, and status only where it is no subresource. */
function generationFields(version: Version): string[] {
  const names = Object.keys(schemaOf(version).properties ?? {}).filter((name) => !ownFields.has(name));
  const all = new Set([...names, 'spec', 'status']);
  if (version.subresources?.status) all.delete('status');
  return [...all];
}

/**
 * Stored objects are served as they are while there has been one version and one
 * schema only; after that they may hold what the schema no longer has.
 */
function viewOf(definition: CustomResourceDefinition, version: Version) {
  const { group, versions } = definition.spec;
  if (versions.length === 1 && definition.metadata.generation === 1) return undefined;
  const face = (of: Version) => ({ apiVersion: `${group}/${of.name}`, schema: schemaOf(of) });
  return servedView(face(version), face(storageVersion(definition) ?? version));
}

function deprecationOf({ spec }: CustomResourceDefinition, version: Version): string {
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group } = spec;
  const kind = spec.names.kind ?? '';
  const newer = spec.versions
    .filter((other) => other.served && !other.deprecated)
    .map((other) => other.name)
    .sort((a, b) => priority(b) - priority(a))
    .find((name) => priority(name) > priority(version.name));
  const instead = newer === undefined ? '' : `; use ${group}/${newer} ${kind}`;
  return `${group}/${version.name} ${kind} is deprecated${instead}`;
}

/** v2 before v1, then beta, then alpha, then any other name. */
function priority(name: string): number {
  const [, major, stage, minor = '0'] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(name) ?? [];
  if (major === undefined) return -1;
  const rank = stage === undefined ? 2 : stage === 'beta' ? 1 : 0;
  return rank * 1e6 + Number(major) * 1e3 + Number(minor);
}

function validateScaleFields(object: KubeObject, scale: NonNullable<Version['subresources']>['scale']): FieldError[] {
  if (!scale) return [];
  const errors: FieldError[] = [];
  for (const field of [scale.specReplicasPath, scale.statusReplicasPath]) {
    const [replicas] = valuesAt(parseJsonPath(field), object);
    if (typeof replicas !== 'number') continue;
    const refuse = (detail: string) => errors.push({ type: 'Invalid', field, value: replicas, detail });
    if (replicas < 0) refuse('should be a non-negative integer');
    else if (replicas > 2 ** 31 - 1) refuse(`should be less than or equal to ${2 ** 31 - 1}`);
  }
  return errors;
}

/** Whether instances of a definition can be asked for: its names were accepted once. */
export function isServed(definition: CustomResourceDefinition): boolean {
  return (
    conditionOf(definition, 'Established')?.status === 'True' && isObject(definition.spec) && !!definition.spec.versions
  );
}
