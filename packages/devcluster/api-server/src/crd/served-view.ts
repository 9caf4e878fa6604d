import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import {
  itemSchema,
  type JsonSchema,
  ownFields,
  propertySchema,
  valueSchema,
} from '@slipway/api-machinery/schema/json-schema';
import type { KubeObject } from '@slipway/kube';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { prune } from './prune.js';
import { hasRoomForDefaults } from './room-for-defaults.js';
import { applySchemaDefaults } from './schema-defaults.js';

/** A version of a kind: what its objects say they are, and their schema. */
export interface VersionFace {
  readonly apiVersion: string;
  readonly schema: JsonSchema;
}

/**
 * Returns the view of stored objects in one version. An object is pruned and defaulted by
 * the schema of the version it was stored in, then pruned by the schema of the served
 * version, which adds no defaults of its own.
 *
 * An object that needs no change is returned as it is, so that caches about it stay valid.
 * @param storage the present storage version
 * @param others earlier storage versions
 */
export function servedView(
  served: VersionFace,
  storage: VersionFace,
  others: readonly VersionFace[] = [],
): NonNullable<ResourceDefinition['view']> {
  const fromStored = (stored: KubeObject): KubeObject => {
    const { apiVersion } = stored;
    const isSame = apiVersion === served.apiVersion;
    if (isSame && fits(stored, served.schema, true)) return stored;
    const written = [served, storage, ...others].find((face) => face.apiVersion === apiVersion) ?? storage;
    const shown = structuredClone(stored);
    shown.apiVersion = served.apiVersion;
    prune(shown, written.schema);
    // Defaults added later must not make the lists of many small objects too large for other clients.
    if (hasRoomForDefaults(shown, written.schema)) applySchemaDefaults(shown, written.schema);
    if (!isSame) prune(shown, served.schema);
    return shown;
  };
  const toStored = (object: KubeObject): KubeObject => {
    if (object.apiVersion === storage.apiVersion) return object;
    const stored = structuredClone(object);
    stored.apiVersion = storage.apiVersion;
    prune(stored, storage.schema);
    return stored;
  };
  return { fromStored, toStored };
}

/**
 * Returns the steps around a conversion by a webhook: an object is pruned and defaulted by the schema of the version it
 * was stored in before, and pruned by that of the other version afterwards.
 */
export function conversionSteps(served: VersionFace, storage: VersionFace, others: readonly VersionFace[]) {
  const prunedBy =
    ({ schema }: VersionFace) =>
    (converted: KubeObject) => {
      prune(converted, schema);
      return converted;
    };
  return {
    decoded: (stored: KubeObject): KubeObject => {
      const written = others.find(({ apiVersion }) => apiVersion === stored.apiVersion) ?? storage;
      const decoded = structuredClone(stored);
      prune(decoded, written.schema);
      if (hasRoomForDefaults(decoded, written.schema)) applySchemaDefaults(decoded, written.schema);
      return decoded;
    },
    pruned: prunedBy(served),
    prunedForStorage: prunedBy(storage),
    storedAs: storage.apiVersion,
  };
}

/** Whether pruning and defaulting would change nothing. */
function fits(value: unknown, schema: JsonSchema | undefined, isResource = false): boolean {
  if (Array.isArray(value)) {
    const items = schema && itemSchema(schema);
    if (!items && schema?.['x-kubernetes-preserve-unknown-fields']) return true;
    return value.every((element) => !isStray(element, items) && fits(element, items));
  }
  if (!isJsonObject(value)) return true;
  const hasOwnFields = isResource || schema?.['x-kubernetes-embedded-resource'] === true;
  const properties = Object.entries(schema?.properties ?? {});
  return (
    Object.keys(value).every((name) => (hasOwnFields && ownFields.has(name)) || fieldFits(value[name], name, schema)) &&
    properties.every(([name, property]) => property.default === undefined || Object.hasOwn(value, name))
  );
}

function fieldFits(value: unknown, name: string, schema: JsonSchema | undefined): boolean {
  const property = schema && propertySchema(schema, name);
  if (property) return !isStray(value, property) && fits(value, property);
  if (schema?.additionalProperties) {
    const others = valueSchema(schema);
    return !isStray(value, others) && fits(value, others);
  }
  return schema?.['x-kubernetes-preserve-unknown-fields'] === true;
}

function isStray(value: unknown, schema: JsonSchema | undefined): boolean {
  return value === null && schema !== undefined && !schema.nullable;
}
