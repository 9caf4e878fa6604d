import { checkType } from '@slipway/api-machinery/apply/check-type';
import { fieldType, isAtomicMap, itemType, keysOf, shapeOf } from '@slipway/api-machinery/apply/field-type';
import { merge } from '@slipway/api-machinery/apply/merge';
import { ShapeError } from '@slipway/api-machinery/apply/shape-error';
import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { applyJsonPatch } from '@slipway/api-machinery/patch/json-patch';
import { FailedTestError } from '@slipway/api-machinery/patch/refusals';
import type { FieldSchema } from '@slipway/api-machinery/schema/object-schema';
import { misnamedPart, NoJsonError, toJson } from '@slipway/cel/kubernetes/patch-types';
import { List, ObjectValue, type Value } from '@slipway/cel/values/values';
import type { KubeObject } from '@slipway/kube';

/** A mutation that cannot be made. The message says why, in the words of Kubernetes where it has some. */
export class MutationError extends Error {
  override readonly name = 'MutationError';
}

/**
 * The object after the JSON patch that an expression made; the same object when a `test` of the patch fails.
 * @throws MutationError
 */
export function patched(object: KubeObject, patch: Value): KubeObject {
  const operations = (patch instanceof List ? patch.items : []).map(operationOf);
  try {
    return applyJsonPatch(object, operations) as KubeObject;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (cause instanceof FailedTestError) return object;
    throw new MutationError(`JSON Patch: ${cause instanceof Error ? cause.message : (error as Error).message}`);
  }
}

function operationOf(value: Value): unknown {
  if (!(value instanceof ObjectValue)) throw new MutationError('a JSON patch must be made of JSONPatch');
  const parts = value.names().map((name) => [name, value.get(name) ?? null] as const);
  for (const [, part] of parts) {
    const problem = part instanceof ObjectValue ? misnamedPart(part, part.typeName) : undefined;
    if (problem !== undefined) throw new MutationError(`type mismatch: ${problem}`);
  }
  return Object.fromEntries(parts.map(([name, part]) => [name, json(part)]));
}

/**
 * The object with the configuration laid over it that an expression made.
 * @throws MutationError for a configuration that would replace more than it says
 */
export function configured(object: KubeObject, configuration: Value, schema: FieldSchema): KubeObject {
  const problem = misnamedPart(configuration);
  if (problem !== undefined) throw new MutationError(`type mismatch: ${problem}`);
  const { apiVersion, kind } = object;
  const config = { ...(json(configuration) as object), apiVersion, kind };
  try {
    checkType(schema, config, 'refused');
  } catch (error) {
    throw applying('failed to convert patch object to typed object', error);
  }
  const atomics = atomicsIn(schema, config, '');
  if (atomics.length > 0) {
    const why = `may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`;
    throw new MutationError(`error applying patch: invalid ApplyConfiguration: ${why}`);
  }
  try {
    return merge(schema, object, config) as KubeObject;
  } catch (error) {
    throw applying('failed to merge patch', error);
  }
}

function applying(what: string, error: unknown): unknown {
  return error instanceof ShapeError ? new MutationError(`error applying patch: ${what}: ${error.message}`) : error;
}

/** Where a value holds lists or maps that are only ever replaced as a whole. */
function atomicsIn(type: FieldSchema, value: unknown, path: string): string[] {
  const shape = shapeOf(type, value);
  if (shape === 'map' && isJsonObject(value)) {
    const inner = Object.entries(value).flatMap(([name, one]) =>
      atomicsIn(fieldType(type, name), one, `${path}.${name}`),
    );
    return isAtomicMap(type) ? [path, ...inner] : inner;
  }
  if (shape !== 'list' || !Array.isArray(value)) return [];
  const inner = value.flatMap((one, index) => atomicsIn(itemType(type), one, `${path}[${index}]`));
  return keysOf(type) ? inner : [path, ...inner];
}

function json(value: Value): unknown {
  try {
    return toJson(value);
  } catch (error) {
    throw error instanceof NoJsonError ? new MutationError(error.message) : error;
  }
}
