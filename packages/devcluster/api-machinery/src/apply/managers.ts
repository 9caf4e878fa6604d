import type { Resumable } from '../event-loop/resumable.js';
import { sortingStrings } from '../json/json-in-slices.js';
import { isJsonObject } from '../json/json-value.js';
import { type FieldSet, isEmpty, leaf, nodeOf, noFields } from './field-set.js';
import { canonicalElement, compareElements, elementOrder } from './path-element.js';

/** The kind of write: an apply, or any other write. */
export type Operation = 'Apply' | 'Update';

/** Who writes, and how. One name may be several managers. */
export interface Manager {
  readonly name: string;
  readonly operation: Operation;
  /** '' for the object itself. */
  readonly subresource: string;
}

/** What one manager owns. */
export interface Owned extends Manager {
  /** The version whose fields these are. */
  readonly apiVersion: string;
  readonly fields: FieldSet;
  /** When it last changed something, in seconds of RFC 3339; absent when it only ever agreed. */
  readonly time?: string;
}

/** All managers of an object by their identity. */
export type Managers = ReadonlyMap<string, Owned>;

/**
 * Returns the identity of a manager: its name and subresource, and for managers that do
 * not apply their version. Conflicts are reported in the order of identities.
 */
export function identityOf({ name, operation, subresource }: Manager, apiVersion: string): string {
  let identity = name === '' ? '{' : `{"manager":${JSON.stringify(name)},`;
  identity += `"operation":"${operation}"`;
  if (operation === 'Update') identity += `,"apiVersion":${JSON.stringify(apiVersion)}`;
  if (subresource !== '') identity += `,"subresource":${JSON.stringify(subresource)}`;
  return `${identity}}`;
}

/** An entry of `metadata.managedFields`. */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: FieldSet;
  readonly subresource?: string;
}

/** `metadata.managedFields` cannot be read. */
export class ManagedFieldsError extends Error {
  override readonly name = 'ManagedFieldsError';
}

/** What entries that are stored, and so frozen, were read as; and the entry that such a manager is written as again. */
const decoded = new WeakMap<object, { readonly identity: string; readonly owned: Owned }>();
const encoded = new WeakMap<Owned, ManagedFieldsEntry>();

/**
 * Reads `metadata.managedFields`.
 * @throws ManagedFieldsError
 */
export function* decodeManagers(entries: unknown): Resumable<Managers> {
  const managers = new Map<string, Owned>();
  if (!Array.isArray(entries)) return managers;
  for (const [index, entry] of entries.entries()) {
    const { identity, owned } = decoded.get(Object(entry)) ?? decodeEntry(Object(entry), index);
    managers.set(identity, owned);
    yield;
  }
  return managers;
}

function decodeEntry(entry: ManagedFieldsEntry, index: number) {
  const owned = ownedOf(entry, index);
  const manager = { identity: identityOf(owned, owned.apiVersion), owned };
  // Anything else may still change.
  if (Object.isFrozen(entry)) {
    decoded.set(entry, manager);
    encoded.set(owned, entry);
  }
  return manager;
}

function ownedOf(entry: ManagedFieldsEntry, index: number): Owned {
  const { manager = '', operation, apiVersion, time, fieldsType, fieldsV1, subresource = '' } = entry;
  if (operation !== 'Apply' && operation !== 'Update') {
    throw new ManagedFieldsError('operation must be `Apply` or `Update`');
  }
  if (!apiVersion) throw new ManagedFieldsError('apiVersion must not be empty');
  if (!fieldsType) throw new ManagedFieldsError(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1') {
    throw new ManagedFieldsError(`invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`);
  }
  const fields = Object.isFrozen(entry) ? (fieldsV1 ?? noFields) : readFields(fieldsV1 ?? {});
  return { name: manager, operation, subresource, apiVersion, fields, ...(time && { time }) };
}

/** Reads a set that a client sent; what later versions may know is left out. */
function readFields(sent: unknown): FieldSet {
  return readNode(sent) ?? noFields;
}

function readNode(sent: unknown): FieldSet | undefined {
  if (!isJsonObject(sent)) throw new ManagedFieldsError('fieldsV1 must be an object of objects');
  const children: Record<string, FieldSet> = {};
  for (const element of Object.keys(sent)) {
    if (element === '.') continue;
    const canonical = canonicalOf(element);
    if (canonical !== undefined) children[canonical] = readNode(sent[element]) ?? leaf;
  }
  return nodeOf(Object.hasOwn(sent, '.'), children);
}

function canonicalOf(element: string): string | undefined {
  try {
    return canonicalElement(element);
  } catch (cause) {
    throw new ManagedFieldsError(`fieldsV1: ${JSON.stringify(element)} is not a path element`, { cause });
  }
}

/** Writes `metadata.managedFields`; undefined when no field has a manager. */
export function* encodeManagers(managers: Managers): Resumable<ManagedFieldsEntry[] | undefined> {
  if (managers.size === 0) return undefined;
  const timed = [...managers.values()].map((owned) => ({ owned, seconds: secondsOf(owned) }));
  const entries: ManagedFieldsEntry[] = [];
  for (const { owned } of timed.sort(inOrder)) {
    entries.push(yield* entryOf(owned));
    yield;
  }
  return entries;
}

/** A manager that a write left alone keeps its entry. Every write makes some others, so they are made the plain way. */
function* entryOf(owned: Owned): Resumable<ManagedFieldsEntry> {
  const kept = encoded.get(owned);
  if (kept) return kept;
  const { name, operation, subresource, apiVersion, fields, time } = owned;
  const entry: { -readonly [Name in keyof ManagedFieldsEntry]: ManagedFieldsEntry[Name] } = {};
  if (name !== '') entry.manager = name;
  entry.operation = operation;
  entry.apiVersion = apiVersion;
  if (time !== undefined) entry.time = time;
  entry.fieldsType = 'FieldsV1';
  entry.fieldsV1 = yield* sorted(fields);
  if (subresource !== '') entry.subresource = subresource;
  return entry;
}

interface Timed {
  readonly owned: Owned;
  readonly seconds: number;
}

/** Appliers first, then by time, then by name. */
function inOrder({ owned: a, seconds }: Timed, { owned: b, seconds: others }: Timed): number {
  return (
    byText(a.operation, b.operation) ||
    seconds - others ||
    byText(a.name, b.name) ||
    byText(a.apiVersion, b.apiVersion) ||
    byText(a.subresource, b.subresource)
  );
}

function byText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** Seconds since the epoch; what has no time comes first. */
export function secondsOf({ time }: Owned): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

/** Elements of a set between two yields. */
const betweenYields = 1_000;

/**
 * The same set with its elements in the order of the wire; itself when it is in order already, as what is stored is.
 */
function* sorted(set: FieldSet): Resumable<FieldSet> {
  if (Object.isFrozen(set)) return set;
  let before: string | undefined;
  let isInOrder = true;
  const moved = new Map<string, FieldSet>();
  let seen = 0;
  for (const element in set) {
    if (++seen % betweenYields === 0) yield;
    isInOrder &&= before === undefined || compareWire(before, element) <= 0;
    before = element;
    const node = set[element] as FieldSet;
    const inside = Object.isFrozen(node) ? node : yield* sorted(node);
    if (inside !== node) moved.set(element, inside);
  }
  if (isInOrder && moved.size === 0) return set;
  const elements = Object.keys(set);
  const order = elementOrder();
  const result: Record<string, FieldSet> = {};
  const inWireOrder = isInOrder ? elements : yield* sortingStrings(elements, (a, b) => compareWire(a, b, order));
  for (const element of inWireOrder) {
    if (++seen % betweenYields === 0) yield;
    result[element] = moved.get(element) ?? (set[element] as FieldSet);
  }
  return result;
}

function compareWire(a: string, b: string, order = compareElements): number {
  if (a === '.' || b === '.') return a === b ? 0 : a === '.' ? -1 : 1;
  return order(a, b);
}

/** The managers that own something. */
export function withoutEmpty(managers: Managers): Managers {
  return new Map([...managers].filter(([, { fields }]) => !isEmpty(fields)));
}
