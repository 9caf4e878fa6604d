import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { forbidden, groupResource } from '@slipway/api-machinery/errors/status-errors';
import { goText, goTypeOf } from '@slipway/api-machinery/json/go-text';
import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { customMergeFacts } from '@slipway/api-machinery/schema/custom-merge-facts';
import { ownFields } from '@slipway/api-machinery/schema/json-schema';
import type { FieldSchema } from '@slipway/api-machinery/schema/object-schema';
import type { KubeObject } from '@slipway/kube';
import type { Column, ResourceDefinition } from '../registry/resource-definition.js';
import { customSchema } from './custom-schema.js';
import {
  type CustomResourceDefinition,
  conditionOf,
  knownConversionReviews,
  schemaOf,
  storageVersion,
  type Version,
} from './definition-object.js';
import { printerColumns } from './printer-columns.js';
import { selectorsOf } from './selectable-fields.js';
import { conversionSteps, servedView } from './served-view.js';

/**
 * Returns a resource definition for every served version of a definition whose names are
 * accepted. While it terminates, objects can be read and deleted, not created.
 */
export function customDefinitions(definition: CustomResourceDefinition): ResourceDefinition[] {
  const versions = definition.spec.versions.filter((version) => version.served);
  const { group } = definition.spec;
  const types = new Map<string, FieldSchema>();
  const typeAt = (apiVersion: string) => {
    const version = definition.spec.versions.find(({ name }) => `${group}/${name}` === apiVersion);
    if (version && !types.has(apiVersion)) types.set(apiVersion, customMergeFacts(schemaOf(version)));
    return types.get(apiVersion);
  };
  return versions.map((version) => customDefinition(definition, version, typeAt));
}

function customDefinition(
  definition: CustomResourceDefinition,
  version: Version,
  typeAt: ResourceDefinition['typeAt'] & {},
): ResourceDefinition {
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
  let columns: readonly Column[] | undefined;
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
    applyDefaults: (object, nulls) => schema.applyDefaults(object, nulls),
    typeAt,
    prepareForCreate(object) {
      if (definition.metadata.deletionTimestamp) {
        const why = 'create not allowed while custom resource definition is terminating';
        throw forbidden(ref, object.metadata.name ?? '', why);
      }
      if (status) delete object.status;
    },
    validateCreate: validate,
    validateUpdate: validate,
    *warnings(object, old) {
      return old ? yield* schema.warnings(object, old) : [];
    },
    get columns() {
      columns ??= printerColumns(version.additionalPrinterColumns);
      return columns;
    },
    selectableFields: selectorsOf(version.selectableFields),
    ...(deprecationWarning !== undefined && { deprecationWarning }),
    ...(view && { view }),
    ...conversionOf(definition, version),
  };
}

/** Every change outside metadata raises the generation; one of status only if status is not a subresource. */
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
  return servedView(face(version), face(storageVersion(definition) ?? version), versions.map(face));
}

/** A webhook converts between versions; where there is one version, there is nothing to convert. */
function conversionOf({ spec }: CustomResourceDefinition, version: Version): Pick<ResourceDefinition, 'conversion'> {
  const { group, versions, conversion } = spec;
  const { clientConfig: client, conversionReviewVersions = [] } = conversion?.webhook ?? {};
  if (conversion?.strategy !== 'Webhook' || !client || versions.length === 1) return {};
  const face = (of: Version) => ({ apiVersion: `${group}/${of.name}`, schema: schemaOf(of) });
  const storage = versions.find((one) => one.storage) ?? version;
  const reviewVersion = conversionReviewVersions.find((one) => knownConversionReviews.includes(one)) ?? 'v1';
  return {
    conversion: { client, reviewVersion, ...conversionSteps(face(version), face(storage), versions.map(face)) },
  };
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
  return [scale.specReplicasPath, scale.statusReplicasPath].flatMap((field) => {
    const refuse = (value: unknown, detail: string): FieldError[] => [{ type: 'Invalid', field, value, detail }];
    const replicas = replicasAt(object, field);
    if (replicas instanceof Misplaced) return refuse(0, `${field} accessor error: ${replicas.message}`);
    if (replicas === undefined) return [];
    if (replicas < 0) return refuse(replicas, 'should be a non-negative integer');
    return replicas > 2 ** 31 - 1 ? refuse(replicas, `should be less than or equal to ${2 ** 31 - 1}`) : [];
  });
}

/** Something else where a number of replicas should be. */
class Misplaced {
  readonly message: string;

  constructor(value: unknown, expected: string) {
    this.message = `${goText(value)} is of the type ${goTypeOf(value)}, expected ${expected}`;
  }
}

/** A number by its simple path, such as `.spec.replicas`. */
function replicasAt(object: KubeObject, path: string): number | Misplaced | undefined {
  let value: unknown = object;
  for (const name of path.split('.').filter(Boolean)) {
    if (value === undefined) return undefined;
    if (!isJsonObject(value)) return new Misplaced(value, 'map[string]interface{}');
    value = value[name];
  }
  if (value === undefined || Number.isInteger(value)) return value as number | undefined;
  return new Misplaced(value, 'int64');
}

/** Whether instances of a definition can be asked for: its names were accepted once. */
export function isServed(definition: CustomResourceDefinition): boolean {
  return (
    conditionOf(definition, 'Established')?.status === 'True' &&
    isJsonObject(definition.spec) &&
    !!definition.spec.versions
  );
}
