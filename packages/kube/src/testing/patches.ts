import { cloneJson, sameJson, setOwn } from '../client/json.js';
import type { JsonPatchOp } from '../client/resource-client.js';

/** JSON merge patch (RFC 7396) of a copy. */
export function mergePatched(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return cloneJson(patch);
  const result: Record<string, unknown> = isObject(target) ? cloneJson(target) : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else setOwn(result, key, mergePatched(Object.hasOwn(result, key) ? result[key] : undefined, value));
  }
  return result;
}

/**
 * Returns the result of a server-side apply when every applier forces: the applier's fields, without those it applied
 * `before` and left out since. Lists are values.
 */
export function applied(current: unknown, before: unknown, wanted: unknown): unknown {
  return mergePatched(mergePatched(current, leftOut(before, wanted)), wanted);
}

/** The merge patch that removes what is in `before` and not in `wanted`. */
function leftOut(before: unknown, wanted: unknown): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  if (!isObject(before)) return patch;
  const now: Record<string, unknown> = isObject(wanted) ? wanted : {};
  for (const [key, value] of Object.entries(before)) {
    if (now[key] === undefined) patch[key] = null;
    else if (isObject(value)) patch[key] = leftOut(value, now[key]);
  }
  return patch;
}

/** JSON patch (RFC 6902) of a copy. @throws RangeError when a path is not there or a test fails. */
export function jsonPatched(target: unknown, operations: readonly JsonPatchOp[]): unknown {
  const root = { document: cloneJson(target) };
  for (const operation of operations) {
    switch (operation.op) {
      case 'add':
        add(root, operation.path, operation.value);
        break;
      case 'replace':
        remove(root, operation.path);
        add(root, operation.path, operation.value);
        break;
      case 'remove':
        remove(root, operation.path);
        break;
      case 'test':
        if (!sameJson(valueAt(root, operation.path), operation.value)) {
          throw new RangeError(`testing value ${operation.path} failed`);
        }
        break;
      case 'move': {
        const value = valueAt(root, operation.from);
        remove(root, operation.from);
        add(root, operation.path, value);
        break;
      }
      case 'copy':
        add(root, operation.path, valueAt(root, operation.from));
        break;
    }
  }
  return root.document;
}

interface Root {
  document: unknown;
}

function valueAt(root: Root, path: string): unknown {
  const { parent, key } = locate(root, path);
  if (Array.isArray(parent) ? !(Number(key) < parent.length) : !Object.hasOwn(parent, key)) {
    throw new RangeError(`there is nothing at ${path}`);
  }
  return Array.isArray(parent) ? parent[Number(key)] : parent[key];
}

function add(root: Root, path: string, value: unknown): void {
  const { parent, key } = locate(root, path);
  if (!Array.isArray(parent)) {
    setOwn(parent, key, cloneJson(value));
    return;
  }
  const at = key === '-' ? parent.length : Number(key);
  if (!(at >= 0 && at <= parent.length)) throw new RangeError(`there is no index ${key} at ${path}`);
  parent.splice(at, 0, cloneJson(value));
}

function remove(root: Root, path: string): void {
  valueAt(root, path);
  const { parent, key } = locate(root, path);
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
}

function locate(root: Root, path: string): { parent: unknown[] | Record<string, unknown>; key: string } {
  if (path === '') return { parent: root as unknown as Record<string, unknown>, key: 'document' };
  const keys = path
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop() ?? '';
  let parent: unknown = root.document;
  for (const key of keys) {
    parent = Array.isArray(parent) ? parent[Number(key)] : isObject(parent) ? parent[key] : undefined;
  }
  if (!Array.isArray(parent) && !isObject(parent)) throw new RangeError(`there is nothing to hold ${path}`);
  return { parent, key: last };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
