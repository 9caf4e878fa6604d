import { stringifyJson } from '@slipway/kube';
import { type Resumable, runToCompletion } from '../event-loop/resumable.js';
import { comparingJson, copyingFields } from '../json/json-in-slices.js';
import { isJsonObject, type JsonObject, jsonTypeName, own, setOwn } from '../json/json-value.js';
import { Copier } from './copier.js';
import { type Access, missingContainer, missingMember } from './patch-problems.js';
import { doesNotApply, FailedTestError, malformed, tooMuch } from './refusals.js';

const maxOperations = 10_000;
/**
 * Elements that insertions and removals may move in one patch. No useful patch comes near it, and a list of 60,000
 * that 10,000 operations change at its front would keep everybody waiting for a second.
 */
const maxMoved = 100_000_000;

type Operation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: unknown }
  | { readonly op: 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string };

/**
 * Applies an RFC 6902 patch, all operations or none. Neither argument is changed;
 * the result may share parts with both.
 *
 * Kubernetes' own reading of the RFC holds: negative indexes count from the end,
 * `01` is an index, and a `test` for null passes when the key is absent.
 * @throws StatusError 400 for a malformed patch, 413 for more than 10,000
 *   operations or lists moved too often, 422 when an operation does not apply or a test fails.
 */
export function applyJsonPatch(
  original: Readonly<JsonObject>,
  patch: unknown,
  missing: MissingMembers = 'refused',
): JsonObject {
  return runToCompletion(jsonPatching(original, patch, missing));
}

/**
 * Whether `replace` and `copy` take a member that an object does not have: `replace` then adds it, and a copy of it is
 * null, as in Kubernetes 1.37. Operations without a value then set null.
 */
export type MissingMembers = 'refused' | 'taken';

/** The same, with rests between the operations. */
export function* jsonPatching(
  original: Readonly<JsonObject>,
  patch: unknown,
  missing: MissingMembers = 'refused',
): Resumable<JsonObject> {
  const draft = new Draft(original);
  const copier = new Copier();
  for (const operation of decodePatch(patch, missing)) {
    yield;
    switch (operation.op) {
      case 'test':
        if (!(yield* comparingJson(draft.find(operation.path, 'test') ?? null, operation.value ?? null))) {
          throw doesNotApply(new FailedTestError(`testing value ${operation.path} failed`));
        }
        break;
      case 'add':
        yield* draft.add(operation.path, operation.value, 'add');
        break;
      case 'replace':
        yield* draft.replace(operation.path, operation.value, missing);
        break;
      case 'remove':
        yield* draft.remove(operation.path, 'remove');
        break;
      case 'move': {
        const value = draft.get(operation.from, 'move from');
        yield* draft.remove(operation.from, 'move from');
        yield* draft.add(operation.path, value, 'move to');
        break;
      }
      case 'copy': {
        const { from, path } = operation;
        const value = missing === 'taken' ? (draft.find(from, 'copy from') ?? null) : draft.get(from, 'copy from');
        yield* draft.add(path, copier.copyOf(value), 'copy to');
        break;
      }
    }
  }
  if (!isJsonObject(draft.document)) throw doesNotApply('the patched document is not an object');
  return draft.document;
}

/** Reads the operations; every one is checked before the first is applied. */
function decodePatch(patch: unknown, missing: MissingMembers): Operation[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) {
    throw malformed(
      `error decoding patch: json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type []handlers.jsonPatchOp`,
    );
  }
  for (const entry of patch) checkFieldTypes(entry);
  if (patch.length > maxOperations) {
    throw tooMuch(`The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`);
  }
  return patch.map((entry) => decodeOperation(entry, missing));
}

function checkFieldTypes(entry: unknown): void {
  if (entry === null) return;
  if (!isJsonObject(entry)) {
    throw malformed(
      `error decoding patch: json: cannot unmarshal ${jsonTypeName(entry)} into Go value of type handlers.jsonPatchOp`,
    );
  }
  for (const field of ['op', 'from', 'path']) {
    const value = own(entry, field) ?? null;
    if (value !== null && typeof value !== 'string') {
      throw malformed(
        `error decoding patch: json: cannot unmarshal ${jsonTypeName(value)} into Go struct field jsonPatchOp.${field} of type string`,
      );
    }
  }
}

function decodeOperation(entry: unknown, missing: MissingMembers): Operation {
  const fields = isJsonObject(entry) ? entry : {};
  const refuse = (why: string) => malformed(`invalid operation ${stringifyJson(sorted(fields))}: ${why}`);
  const text = (field: 'from' | 'path', missing: string): string => {
    const value = own(fields, field);
    if (typeof value !== 'string') throw refuse(`failed to decode '${field}': ${missing}: missing value`);
    return value;
  };
  const path = () => text('path', 'operation missing path field');

  const op = own(fields, 'op');
  switch (op) {
    case 'add':
    case 'replace':
      if (missing === 'refused' && !Object.hasOwn(fields, 'value')) {
        throw refuse("failed to decode 'value': operation, missing value field: missing value");
      }
      return { op, path: path(), value: fields.value ?? null };
    case 'move':
    case 'copy':
      return { op, from: text('from', 'operation, missing from field'), path: path() };
    case 'remove':
      return { op, path: path() };
    case 'test':
      return { op, path: path(), value: own(fields, 'value') };
    default:
      throw refuse('unsupported operation');
  }
}

function sorted(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * A document being changed. What came in is shared until a change reaches it: then
 * the containers on the way are copied, once, and the copies are changed in place.
 */
class Draft {
  document: unknown;
  /** Containers that this draft made, which may change because no other code has them. */
  readonly #ours = new WeakSet<object>();
  #moved = 0;

  constructor(document: unknown) {
    this.document = document;
  }

  /** The value a test looks at: what contains it must exist, an object's key need not. */
  find(path: string, access: Access): unknown {
    const keys = keysOf(path, access);
    const last = keys.pop();
    if (last === undefined && access === 'test') return this.document;
    if (last === undefined) throw doesNotApply(missingContainer(access, path));
    let container = this.document;
    for (const key of keys) container = child(container, key);
    const found = child(container, last);
    if (found !== undefined || isJsonObject(container)) return found;
    const isList = Array.isArray(container);
    throw doesNotApply(isList ? missingMember(access, path, last, isList) : missingContainer(access, path));
  }

  get(path: string, access: Access): unknown {
    const value = this.find(path, access);
    if (value === undefined) throw doesNotApply(missingMember(access, path, keysOf(path, access).at(-1) ?? '', false));
    return value;
  }

  *add(path: string, value: unknown, access: Access): Resumable<void> {
    const at = yield* this.#open(path, access);
    if (at === undefined) throw doesNotApply(missingContainer(access, path));
    if (Array.isArray(at.container)) {
      const index = at.key === '-' ? at.container.length : indexIn(at.key, at.container.length + 1);
      if (index === undefined) throw doesNotApply(missingMember(access, path, at.key, true));
      this.#move(at.container.length - index);
      at.container.splice(index, 0, value);
    } else {
      setOwn(at.container, at.key, value);
    }
  }

  *replace(path: string, value: unknown, missing: MissingMembers): Resumable<void> {
    const at = yield* this.#open(path, 'replace');
    if (at === undefined) this.document = value;
    else if (missing === 'taken' && isJsonObject(at.container)) setOwn(at.container, at.key, value);
    else if (child(at.container, at.key) === undefined) {
      throw doesNotApply(missingMember('replace', path, at.key, Array.isArray(at.container)));
    } else setChild(at.container, at.key, value);
  }

  *remove(path: string, access: Access): Resumable<void> {
    const at = yield* this.#open(path, access);
    if (at === undefined) throw doesNotApply(missingContainer(access, path));
    if (child(at.container, at.key) === undefined) {
      throw doesNotApply(missingMember(access, path, at.key, Array.isArray(at.container)));
    }
    if (Array.isArray(at.container)) {
      const index = indexIn(at.key, at.container.length) ?? 0;
      this.#move(at.container.length - index);
      at.container.splice(index, 1);
    } else delete at.container[at.key];
  }

  #move(elements: number): void {
    this.#moved += elements;
    if (this.#moved > maxMoved) throw tooMuch(`a JSON patch may move at most ${maxMoved} elements of lists`);
  }

  /** The container that a path ends in, safe to change, and the last key; undefined for the document itself. */
  *#open(path: string, access: Access): Resumable<{ container: JsonObject | unknown[]; key: string } | undefined> {
    const keys = keysOf(path, access);
    const key = keys.pop();
    if (key === undefined) return undefined;
    let container = yield* this.#owned(this.document, path, access);
    this.document = container;
    for (const step of keys) {
      const inner = yield* this.#owned(child(container, step), path, access);
      setChild(container, step, inner);
      container = inner;
    }
    return { container, key };
  }

  *#owned(value: unknown, path: string, access: Access): Resumable<JsonObject | unknown[]> {
    if (!Array.isArray(value) && !isJsonObject(value)) throw doesNotApply(missingContainer(access, path));
    if (this.#ours.has(value)) return value;
    const copy = Array.isArray(value) ? [...value] : yield* copyingFields(value);
    this.#ours.add(copy);
    return copy;
  }
}

/** More keys than this lead nowhere: no document that was read is as deep. */
const longestPath = 1_000;

/** Keys of a JSON pointer; none for '', the whole document, which only `replace` and `test` can be about. */
function keysOf(path: string, access: Access): string[] {
  if (path === '') return [];
  const keys = path.split('/', longestPath + 2).slice(1);
  if (keys.length === 0 || keys.length > longestPath) throw doesNotApply(missingContainer(access, path));
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * Position in a list, counted from the end when negative; undefined when the string is not an index or out of bounds.
 */
function indexIn(key: string, length: number): number | undefined {
  if (!/^[+-]?\d+$/.test(key)) return undefined;
  const index = Number.parseInt(key, 10);
  const position = index < 0 ? index + length : index;
  return position >= 0 && position < length ? position : undefined;
}

function child(container: unknown, key: string): unknown {
  if (!Array.isArray(container)) return isJsonObject(container) ? own(container, key) : undefined;
  const index = indexIn(key, container.length);
  return index === undefined ? undefined : container[index];
}

/** Puts a value where `child` finds one. */
function setChild(container: JsonObject | unknown[], key: string, value: unknown): void {
  if (Array.isArray(container)) container[indexIn(key, container.length) ?? 0] = value;
  else setOwn(container, key, value);
}
