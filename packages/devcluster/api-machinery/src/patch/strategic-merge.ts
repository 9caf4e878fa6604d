import { type Resumable, runToCompletion } from '../event-loop/resumable.js';
import { goText, goTypeOf } from '../json/go-text.js';
import { copyingFields } from '../json/json-in-slices.js';
import { isJsonObject, type JsonObject, jsonTypeName, own, setOwn } from '../json/json-value.js';
import type { FieldSchema } from '../schema/object-schema.js';
import { byMergeKey, byValue, type Identity, inOrder, noMergeKey } from './list-order.js';
import { withoutNulls } from './merge-patch.js';
import { doesNotApply, malformed, unexplained } from './refusals.js';

const setOrder = '$setElementOrder';
const deleteFromList = '$deleteFromPrimitiveList';
const retainKeys = '$retainKeys';

/**
 * Applies a strategic merge patch: a merge patch that also merges lists, as the
 * kind's schema says (`patchStrategy`, `patchMergeKey`), and understands the
 * directives `$patch`, `$retainKeys`, `$setElementOrder/x` and
 * `$deleteFromPrimitiveList/x`. Neither argument is changed.
 *
 * Elements that are new to a list go before those the patch does not mention,
 * unless `$setElementOrder` says otherwise: so does Kubernetes.
 * @throws StatusError 400 or 422 with the text of Kubernetes, 500 where it has nothing better.
 */
export function applyStrategicMergePatch(
  original: Readonly<JsonObject>,
  patch: unknown,
  schema: FieldSchema | undefined,
): JsonObject {
  return runToCompletion(strategicMerging(original, patch, schema));
}

/** As `applyStrategicMergePatch`, and yields. */
export function* strategicMerging(
  original: Readonly<JsonObject>,
  patch: unknown,
  schema: FieldSchema | undefined,
): Resumable<JsonObject> {
  if (patch === null) return { ...original };
  if (!isJsonObject(patch)) {
    throw malformed(`json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type map[string]interface {}`);
  }
  return yield* mergeObject(original, patch, schema);
}

/** Fields and elements of a patch merged between two yields. */
const betweenYields = 100;

function* mergeObject(
  original: Readonly<JsonObject>,
  patch: JsonObject,
  schema: FieldSchema | undefined,
): Resumable<JsonObject> {
  const directive = own(patch, '$patch') ?? null;
  if (directive === 'replace') return withoutDirectives(patch) as JsonObject;
  if (directive === 'delete') return {};
  if (directive !== null) throw unexplained(`unknown patch type: ${goText(directive)} in map: ${goText(patch)}`);

  const result = yield* retained(original, patch);
  const fields = Object.entries(patch).filter(([key]) => key !== '$patch' && key !== retainKeys);
  const ordered = new Set<string>();
  for (const [key, order] of fields) {
    if (!key.startsWith(setOrder)) continue;
    if (!Array.isArray(order)) {
      throw unexplained(`expected a []interface {}, but received a ${goTypeOf(order)}`);
    }
    const field = namedBy(key, setOrder, 'invalid patch format of setElementOrder list');
    ordered.add(field);
    const list = yield* orderedList(own(result, field), own(patch, field), order, schema?.field(field));
    if (list !== undefined) setOwn(result, field, list);
  }
  let merged = 0;
  for (const [key, value] of fields) {
    if (++merged % betweenYields === 0) yield;
    if (key.startsWith('$') ? isDirective(key) : ordered.has(key)) continue;
    if (value === null) delete result[key];
    else setOwn(result, key, yield* mergeValue(own(result, key), value, schema?.field(key)));
  }
  for (const [key, value] of fields) {
    if (!key.startsWith(deleteFromList)) continue;
    const field = namedBy(key, deleteFromList, 'invalid patch format of primitive list');
    const list = own(result, field);
    if (!Array.isArray(list)) continue;
    if (!Array.isArray(value)) throw malformed('invalid patch format of primitive list');
    const gone = new Set(value.map(byValue));
    setOwn(
      result,
      field,
      list.filter((element) => !gone.has(byValue(element))),
    );
  }
  return result;
}

function* mergeValue(before: unknown, value: unknown, schema: FieldSchema | undefined): Resumable<unknown> {
  const replaces = schema?.patchStrategy?.includes('replace') ?? false;
  if (isJsonObject(before) && isJsonObject(value)) {
    return replaces ? withoutDirectives(value) : yield* mergeObject(before, value, schema);
  }
  if (Array.isArray(before) && Array.isArray(value)) return yield* mergeList(before, value, schema);
  return withoutNulls(withoutDirectives(value));
}

/** The fields that `$retainKeys` lets live; all of them when the patch has no such directive. */
function* retained(original: Readonly<JsonObject>, patch: Readonly<JsonObject>): Resumable<JsonObject> {
  const keys = own(patch, retainKeys) ?? null;
  if (keys === null) return yield* copyingFields(original);
  if (!Array.isArray(keys)) throw malformed('invalid patch format of retainKeys');
  const keep = new Set(keys);
  for (const [key, value] of Object.entries(patch)) {
    if (value !== null && !isDirective(key) && !keep.has(key)) throw malformed('invalid patch format of retainKeys');
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => keep.has(key)));
}

/** The list of `$setElementOrder`: merged if the patch has it, then brought into that order. */
function* orderedList(
  before: unknown,
  patch: unknown,
  order: readonly unknown[],
  schema: FieldSchema | undefined,
): Resumable<unknown[] | undefined> {
  const live = listOrNone(before);
  const patched = listOrNone(patch);
  if (live === undefined && patched === undefined) return undefined;
  const identity = schema?.patchMergeKey === undefined ? byValue : byMergeKey(schema.patchMergeKey);
  checkOrder(patched ?? [], order, identity);

  const merged =
    live === undefined
      ? (withoutNulls(withoutDirectives(patched)) as unknown[])
      : patched === undefined
        ? live
        : yield* mergeList(live, patched, schema);
  yield;
  return inOrder(merged, order, live ?? [], identity);
}

function listOrNone(value: unknown): unknown[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw unexplained(`expected a []interface {}, but received a ${goTypeOf(value)}`);
  return value;
}

/** What the patch says of a list must come in the order that it asks for. */
function checkOrder(patch: readonly unknown[], order: readonly unknown[], identity: Identity): void {
  const kept = patch.filter((element) => !isJsonObject(element) || own(element, '$patch') === undefined);
  if (kept.length === 0 || order.length === 0) return;
  let next = 0;
  for (const element of order) {
    const wanted = kept[next];
    if (wanted !== undefined && identity(wanted) === identity(element)) next += 1;
  }
  if (next < kept.length) {
    throw unexplained(
      `The order in patch list:\n${goText(patch)}\n doesn't match ${setOrder} list:\n${goText(order)}\n`,
    );
  }
}

function* mergeList(
  before: readonly unknown[],
  patch: readonly unknown[],
  schema: FieldSchema | undefined,
): Resumable<unknown[]> {
  if (!schema?.patchStrategy?.includes('merge')) return withoutDirectives(patch) as unknown[];
  const all = [...before, ...patch];
  if (all.some(Array.isArray)) throw doesNotApply('lists of lists are not supported');
  if (!all.some(isJsonObject)) return mergeScalars(before, patch);
  if (!all.every(isJsonObject)) throw unexplained('list element types are not identical');
  if (schema.patchMergeKey === undefined) throw unexplained('cannot merge lists without merge key');
  return yield* mergeByKey(before as JsonObject[], patch as JsonObject[], schema.patchMergeKey, schema.items);
}

function mergeScalars(before: readonly unknown[], patch: readonly unknown[]): unknown[] {
  return inOrder([...new Set([...before, ...patch])], patch, before, byValue);
}

function* mergeByKey(
  before: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
  items: FieldSchema | undefined,
): Resumable<unknown[]> {
  const identity = byMergeKey(mergeKey);
  const changes = patch.filter((element) => own(element, '$patch') === undefined);
  const special = patch.filter((element) => own(element, '$patch') !== undefined);
  const kept = survivors(before, special, mergeKey);

  const merged: JsonObject[] = [...kept];
  const places = new Map<string, number>();
  for (const [index, element] of merged.entries()) {
    // Of several with one key (the same port for TCP and UDP) the first is meant.
    if (!places.has(identity(element))) places.set(identity(element), index);
  }
  for (const [index, change] of changes.entries()) {
    if (index % betweenYields === 0) yield;
    const place = places.get(identity(change));
    const old = place === undefined ? undefined : merged[place];
    if (place !== undefined && old !== undefined) {
      merged[place] = yield* mergeObject(old, change, items);
    } else {
      places.set(identity(change), merged.length);
      merged.push(withoutNulls(withoutDirectives(change)) as JsonObject);
    }
  }
  yield;
  return inOrder(merged, changes, kept, identity);
}

/** What is left of a list after the elements of the patch that say delete or replace. */
function survivors(
  before: readonly JsonObject[],
  special: readonly JsonObject[],
  mergeKey: string,
): readonly JsonObject[] {
  const identity = byMergeKey(mergeKey);
  const gone = new Set<string>();
  for (const element of special) {
    const directive = own(element, '$patch');
    if (directive === 'merge') throw unexplained('merging lists cannot yet be specified in the patch');
    if (directive !== 'delete' && directive !== 'replace') {
      throw unexplained(`unknown patch type: ${goText(directive)} in map: ${goText(element)}`);
    }
    if (directive !== 'delete') continue;
    if (!Object.hasOwn(element, mergeKey)) throw noMergeKey(element, mergeKey);
    gone.add(identity(element));
  }
  if (special.some((element) => own(element, '$patch') === 'replace')) return [];
  return gone.size === 0 ? before : before.filter((element) => !gone.has(identity(element)));
}

/** `x` of `$directive/x`. */
function namedBy(key: string, directive: string, otherwise: string): string {
  if (!key.startsWith(`${directive}/`)) throw malformed(otherwise);
  return key.slice(directive.length + 1);
}

function isDirective(key: string): boolean {
  return key === '$patch' || key === retainKeys || key.startsWith(setOrder) || key.startsWith(deleteFromList);
}

/** A value of the patch that becomes part of the object: directives mean nothing there. */
function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value
      .filter((element) => !isJsonObject(element) || !Object.hasOwn(element, '$patch'))
      .map(withoutDirectives);
  }
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, inner] of Object.entries(value)) {
    if (!isDirective(key)) setOwn(result, key, withoutDirectives(inner));
  }
  return result;
}
