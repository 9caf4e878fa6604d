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
  const steps = (patch instanceof List ? patch.items : []).map(operationOf);
  try {
    return steps.reduce(applyOperation, object);
  } catch (error) {
    if (error instanceof MutationError) throw error;
    const cause = error instanceof Error ? error.cause : undefined;
    if (cause instanceof FailedTestError) return object;
    throw new MutationError(`JSON Patch: ${cause instanceof Error ? cause.message : (error as Error).message}`);
  }
}

type Operation = Readonly<Record<string, unknown>>;

/** Whatever an operation leaves out is empty, as in Kubernetes. */
function operationOf(value: Value): Operation {
  if (!(value instanceof ObjectValue)) throw new MutationError('a JSON patch must be made of JSONPatch');
  const parts = value.names().map((name) => [name, value.get(name) ?? null] as const);
  for (const [, part] of parts) {
    const problem = part instanceof ObjectValue ? misnamedPart(part, part.typeName) : undefined;
    if (problem !== undefined) throw new MutationError(`type mismatch: ${problem}`);
  }
  return { op: '', path: '', ...Object.fromEntries(parts.map(([name, part]) => [name, json(part)])) };
}

const operations = ['add', 'remove', 'replace', 'move', 'copy', 'test'];

function applyOperation(object: KubeObject, operation: Operation): KubeObject {
  const { op, from } = operation;
  if (!operations.includes(String(op))) throw new MutationError(`JSON Patch: Unexpected kind: ${op}`);
  if ((op === 'move' || op === 'copy') && !from) {
    const why = 'operation, missing from field: missing value';
    throw new MutationError(`JSON Patch: ${op} operation failed to decode from: ${why}`);
  }
  return applyJsonPatch(object, [operation], 'taken') as KubeObject;
}

/**
 * The object with the configuration laid over it that an expression made.
 * @throws MutationError for a configuration that would replace more than it says
 */
export function configured(object: KubeObject, configuration: Value, schema: FieldSchema): KubeObject {
  const problem = misnamedPart(configuration);
  if (problem !== undefined) throw new MutationError(`type mismatch: ${problem}`);
  const { apiVersion, kind } = object;
  if (apiVersion === 'autoscaling/v1' && kind === 'Scale') {
    const why = `no corresponding type for ${apiVersion}, Kind=${kind}`;
    throw new MutationError(`error applying patch: failed to convert patch object to typed object: ${why}`);
  }
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
