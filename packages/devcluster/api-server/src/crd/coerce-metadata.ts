import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { admitMessage, type Found } from '@slipway/api-machinery/schema/admit-message';
import {
  itemSchema,
  type JsonSchema,
  propertySchema,
  valueSchema,
  visitSchemas,
} from '@slipway/api-machinery/schema/json-schema';
import { shippedTable } from '@slipway/api-machinery/schema/message-table';
import { UnmarshalError } from '@slipway/api-machinery/schema/unmarshal-error';
import { stringifyJson } from '@slipway/kube';

const embedding = new WeakMap<JsonSchema, boolean>();

/**
 * Brings metadata to the form that ObjectMeta has, in place: that of the object
 * and that of every embedded resource.
 * @returns paths of fields that ObjectMeta does not have
 * @throws UnmarshalError for a value of the wrong type
 */
export function coerceMetadata(object: Record<string, unknown>, schema: JsonSchema): string[] {
  const unknown: string[] = [];
  coerceOne(object, 'metadata', unknown);
  if (embedsResources(schema)) coerceEmbedded(object, schema, '', unknown);
  return unknown;
}

function coerceOne(owner: Record<string, unknown>, path: string, unknown: string[]): void {
  const { metadata } = owner;
  if (metadata === undefined || metadata === null) return;
  if (!isJsonObject(metadata)) {
    const kind = Array.isArray(metadata) ? 'array' : typeof metadata === 'boolean' ? 'bool' : typeof metadata;
    throw new UnmarshalError(`json: cannot unmarshal ${kind} into Go value of type v1.ObjectMeta`);
  }
  const found: Found = { unknown: [] };
  const message = shippedTable().message('meta.v1.ObjectMeta');
  admitMessage(message, metadata, { outer: undefined, step: undefined, named: false, type: message }, found);
  if (found.mismatch) throw found.mismatch;
  for (const name of found.unknown) unknown.push(`${path}.${name}`);
}

function embedsResources(schema: JsonSchema): boolean {
  const known = embedding.get(schema);
  if (known !== undefined) return known;
  let found = false;
  visitSchemas(schema, (inner) => {
    found ||= inner['x-kubernetes-embedded-resource'] === true;
  });
  embedding.set(schema, found);
  return found;
}

function coerceEmbedded(value: unknown, schema: JsonSchema | undefined, path: string, unknown: string[]): void {
  if (!schema) return;
  if (Array.isArray(value)) {
    const items = itemSchema(schema);
    for (const [index, element] of value.entries()) coerceEmbedded(element, items, `${path}[${index}]`, unknown);
    return;
  }
  if (!isJsonObject(value)) return;
  if (schema['x-kubernetes-embedded-resource']) coerceResource(value, path, unknown);
  for (const name of Object.keys(value)) {
    const inner = propertySchema(schema, name) ?? valueSchema(schema);
    coerceEmbedded(value[name], inner, path === '' ? name : `${path}.${name}`, unknown);
  }
}

function coerceResource(resource: Record<string, unknown>, path: string, unknown: string[]): void {
  for (const name of ['apiVersion', 'kind']) {
    const value = resource[name];
    if (value !== undefined && typeof value !== 'string') {
      throw new UnmarshalError(`${path}.${name}: Invalid value: ${stringifyJson(value)}: must be a string`);
    }
  }
  const shown = stringifyJson(resource.metadata);
  try {
    coerceOne(resource, `${path}.metadata`, unknown);
  } catch (error) {
    if (!(error instanceof UnmarshalError)) throw error;
    throw new UnmarshalError(`${path}.metadata: Invalid value: ${shown}: ${error.message}`);
  }
}
