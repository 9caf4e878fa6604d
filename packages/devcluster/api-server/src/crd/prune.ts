import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import {
  itemSchema,
  type JsonSchema,
  ownFields,
  propertySchema,
  valueSchema,
} from '@slipway/api-machinery/schema/json-schema';

/** As many paths as Kubernetes' own decoder reports of fields it does not know. */
const reported = 100;

/**
 * Drops what the schema does not have, in place; apiVersion, kind and metadata
 * of the object are left alone.
 * @returns the paths of what went, sorted; of very many only some
 */
export function prune(object: Record<string, unknown>, schema: JsonSchema): string[] {
  const dropped: string[] = [];
  pruneValue(object, schema, '', true, dropped);
  return dropped.sort();
}

function pruneValue(
  value: unknown,
  schema: JsonSchema | undefined,
  path: string,
  isResource: boolean,
  dropped: string[],
): void {
  if (Array.isArray(value)) {
    const items = schema && itemSchema(schema);
    if (schema?.['x-kubernetes-preserve-unknown-fields'] && !items) return;
    for (const [index, element] of value.entries()) {
      if (typeof element === 'object') pruneValue(element, items, `${path}[${index}]`, false, dropped);
    }
    return;
  }
  if (!isJsonObject(value)) return;
  for (const name of Object.keys(value)) {
    if ((isResource || schema?.['x-kubernetes-embedded-resource']) && ownFields.has(name)) continue;
    const inside = path === '' ? name : `${path}.${name}`;
    const property = schema && propertySchema(schema, name);
    if (property) pruneValue(value[name], property, inside, false, dropped);
    else if (schema?.additionalProperties) pruneValue(value[name], valueSchema(schema), inside, false, dropped);
    else if (!schema?.['x-kubernetes-preserve-unknown-fields']) {
      if (dropped.length < reported) dropped.push(inside);
      delete value[name];
    }
  }
}
