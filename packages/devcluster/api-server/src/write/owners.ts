import {
  decodeManagers,
  encodeManagers,
  type ManagedFieldsEntry,
  ManagedFieldsError,
  type Manager,
  type Managers,
} from '@slipway/api-machinery/apply/managers';
import { ShapeError } from '@slipway/api-machinery/apply/shape-error';
import { trackUpdate } from '@slipway/api-machinery/apply/track-update';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { comparingJson } from '@slipway/api-machinery/json/json-in-slices';
import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { objectTime } from '@slipway/api-machinery/json/write/object-time';
import type { KubeObject } from '@slipway/kube';
import type { Call, Core } from '../core/core.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { sortingCopy } from '../request/json-copy.js';
import { emptyObject, typedKind } from './typed-definition.js';

/** What `metadata.managedFields` is to be; undefined for none. */
export type Owners = readonly ManagedFieldsEntry[] | undefined;

const longestName = 128;

/** Who writes, as `metadata.managedFields` names them: by the request's fieldManager, or else by its user agent. */
function writerOf(call: Call, fieldManager: string): Manager {
  const name = fieldManager || agentOf(call) || 'unknown';
  return { name, operation: 'Update', subresource: call.subresource };
}

function agentOf({ request }: Call): string {
  const { 'user-agent': agent = '' } = request.headers;
  const [product = ''] = agent.split('/', 1);
  if (product.length <= longestName && /^[ -~]*$/.test(product)) return product;
  let name = '';
  for (const character of product) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) continue;
    if (Buffer.byteLength(name + character) > longestName) break;
    name += character;
  }
  return name;
}

/** Returns the field owners of a new object: its writer owns every field. */
export function* ownersOfNew(core: Core, call: Call, object: KubeObject, fieldManager: string): Resumable<Owners> {
  const kind = typedKind(core, call.definition, call.subresource);
  const managers = (yield* givenManagers(object)) ?? none;
  const time = objectTime(core.clock.now());
  const writer = writerOf(call, fieldManager);
  return yield* track(core, call, trackUpdate(kind, emptyObject(call.definition), object, managers, writer, time));
}

/** Returns the field owners after an update from `old` to `object`. An object without known owners stays so. */
export function* ownersOfChanged(
  core: Core,
  call: Call,
  object: KubeObject,
  old: KubeObject,
  fieldManager: string,
): Resumable<Owners> {
  const managers = yield* managersBefore(call, object, old);
  if (managers.size === 0) return undefined;
  const kind = typedKind(core, call.definition, call.subresource);
  const time = objectTime(core.clock.now());
  const update = trackUpdate(kind, old, object, managers, writerOf(call, fieldManager), time);
  // What a webhook makes of an object may not fit its schema.
  return yield* track(core, call, update, call.definition.conversion && managers);
}

/** Encodes managers as `metadata.managedFields`: equal entries are shared, those of custom objects are sorted. */
export function* ownersIn(
  core: Core,
  { origin }: Pick<ResourceDefinition, 'origin'>,
  managers: Managers,
): Resumable<Owners> {
  const entries = yield* encodeManagers(managers);
  if (!entries) return undefined;
  return yield* core.managedFields.shared(origin === 'custom' ? yield* sortingCopy(entries) : entries);
}

/** An object that does not match its own schema has `otherwise`, or no owners. */
function* track(
  core: Core,
  { definition }: Call,
  update: Resumable<Managers>,
  otherwise?: Managers,
): Resumable<Owners> {
  try {
    return yield* ownersIn(core, definition, yield* update);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    return otherwise && (yield* ownersIn(core, definition, otherwise));
  }
}

const none: Managers = new Map();

/** A write of the object itself may say who owns what; what it says is taken if it can be read. */
function* managersBefore({ subresource }: Call, object: KubeObject, old: KubeObject): Resumable<Managers> {
  const { managedFields } = object.metadata;
  const isSaid = subresource === '' && !(yield* comparingJson(managedFields, old.metadata.managedFields));
  if (isSaid && isReset(managedFields)) return none;
  const given = isSaid ? yield* givenManagers(object) : undefined;
  return given ?? (yield* readable(old.metadata.managedFields)) ?? none;
}

function* givenManagers({ metadata }: KubeObject): Resumable<Managers | undefined> {
  if (metadata.managedFields === undefined) return undefined;
  const managers = yield* readable(metadata.managedFields);
  return managers?.size ? managers : undefined;
}

function* readable(managedFields: unknown): Resumable<Managers | undefined> {
  try {
    return yield* decodeManagers(managedFields);
  } catch (error) {
    if (error instanceof ManagedFieldsError) return undefined;
    throw error;
  }
}

/** One entry that says nothing, or none at all: whoever sends that wants to start over. */
function isReset(managedFields: unknown): boolean {
  if (!Array.isArray(managedFields)) return false;
  const [first] = managedFields;
  return (
    managedFields.length === 0 || (managedFields.length === 1 && isJsonObject(first) && Object.keys(first).length === 0)
  );
}

/** Writes down who owns what, in place. */
export function setOwners({ metadata }: KubeObject, owners: Owners): void {
  if (owners) metadata.managedFields = owners as unknown[];
  else delete metadata.managedFields;
}

/** Gives an object the times of `old` back, in place, when they are all that a write would change. */
export function* keepTimes(object: KubeObject, old: KubeObject): Resumable<void> {
  const [now, then] = [object.metadata.managedFields, old.metadata.managedFields];
  if (!now || !then || now.length !== then.length || (yield* comparingJson(now, then))) return;
  for (const [index, entry] of now.entries()) {
    if (!(yield* sayTheSame(entry as ManagedFieldsEntry, then[index] as ManagedFieldsEntry))) return;
  }
  const before = { ...object, metadata: { ...object.metadata, managedFields: then } };
  if (yield* comparingJson(before, old)) object.metadata.managedFields = then;
}

/** Whether two entries differ in their time at most. */
function* sayTheSame(a: ManagedFieldsEntry, b: ManagedFieldsEntry): Resumable<boolean> {
  for (const key of new Set([...keysOfEntry(a), ...keysOfEntry(b)])) {
    if (key !== 'time' && !(yield* comparingJson(a[key], b[key]))) return false;
  }
  return true;
}

const keysOfEntry = (entry: ManagedFieldsEntry) => Object.keys(entry) as (keyof ManagedFieldsEntry)[];
