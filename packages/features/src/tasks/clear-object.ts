import { type DiscoveredResource, type JsonPatchOp, type Kube, type KubeObject, StatusError } from '@slipway/kube';
import type { MatchRequirement } from '../api/match-requirement.js';
import { type FieldPath, inRemovalOrder, type Place, placesOf, pointerOf, valueAt } from '../references/field-path.js';
import { fits } from '../references/match.js';
import { type UsedField, usesOf } from '../references/used-field.js';
import type { BackupEntry } from './backup.js';

/** A field to be taken out of the objects of a resource. */
export interface Clearing {
  readonly resource: DiscoveredResource;
  /** The API server's default stays: it would be set again, and it is not a use. */
  readonly field: UsedField;
  /** Parents to be taken out as well when that leaves them empty. */
  readonly pruneEmpty: readonly FieldPath[];
  /** Objects that do not fit keep the field. */
  readonly match: readonly MatchRequirement[];
}

export type Cleared =
  | { readonly kind: 'cleared' | 'gone' | 'unused' }
  /** The API server does not let it happen. */
  | { readonly kind: 'refused'; readonly message: string };

const mostRaces = 5;

/** Returns the entries that a backup must hold before the field may be removed from an object. */
export function entriesOf(object: KubeObject, { resource, field, match }: Clearing): readonly BackupEntry[] {
  if (!fits(match, object)) return [];
  const { name = '', namespace, uid = '' } = object.metadata;
  return usesOf(field, object).map((place) => {
    const items = itemNames(place, object);
    return {
      group: resource.group,
      resource: resource.plural,
      ...(namespace !== undefined && { namespace }),
      name,
      uid,
      place,
      ...(Object.keys(items).length > 0 && { items }),
      value: valueAt(place, object),
      ...(field.defaultValue !== undefined && { default: field.defaultValue }),
    };
  });
}

/** A JSON patch that takes the field out of exactly this version of the object. Empty when it is not there. */
export function clearingPatch(object: KubeObject, { field, pruneEmpty, match }: Clearing): readonly JsonPatchOp[] {
  const places = fits(match, object) ? inRemovalOrder(usesOf(field, object)) : [];
  if (places.length === 0) return [];
  const removed: Place[] = [];
  for (const place of places) {
    const parent = place.slice(0, -1);
    const isLast = removed.filter((other) => isIn(other, parent)).length + 1 >= sizeAt(parent, object);
    const prunable = isLast && pruneEmpty.some((at) => placesOf(at, object).some((known) => isSame(known, parent)));
    removed.push(prunable ? parent : place);
  }
  const outermost = removed.filter((place) => !removed.some((other) => other !== place && isIn(place, other)));
  return [
    { op: 'test', path: '/metadata/uid', value: object.metadata.uid },
    { op: 'test', path: '/metadata/resourceVersion', value: object.metadata.resourceVersion },
    ...inRemovalOrder(outermost).map((place) => ({ op: 'remove', path: pointerOf(place) }) as const),
  ];
}

/**
 * Takes the field out of one object. A writer that was faster is not an error: the
 * object is read again, what it holds now is kept, and the patch made anew.
 */
export async function clearObject(
  kube: Kube,
  clearing: Clearing,
  listed: KubeObject,
  keep: (entries: readonly BackupEntry[]) => Promise<void>,
  signal: AbortSignal,
): Promise<Cleared> {
  const client = kube.resource(clearing.resource);
  const { name = '', namespace } = listed.metadata;
  let object = listed;
  for (let races = 0; ; races++) {
    const patch = clearingPatch(object, clearing);
    if (patch.length === 0) return { kind: 'unused' };
    try {
      await client.json({ name, namespace }, patch, { signal });
      return { kind: 'cleared' };
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (error.code === 404) return { kind: 'gone' };
      if (error.code !== 409 && error.code !== 422 && error.code !== 403) throw error;
      const current = await client.find({ name, namespace }, signal);
      if (!current) return { kind: 'gone' };
      const raced = current.metadata.resourceVersion !== object.metadata.resourceVersion;
      if (!raced && error.code !== 409) return { kind: 'refused', message: error.message };
      if (races >= mostRaces) throw error;
      object = current;
      await keep(entriesOf(object, clearing));
    }
  }
}

function itemNames(place: Place, object: unknown): Record<string, string> {
  const names: Record<string, string> = {};
  place.forEach((key, position) => {
    if (typeof key !== 'number') return;
    const name = valueAt([...place.slice(0, position + 1), 'name'], object);
    if (typeof name === 'string') names[String(position)] = name;
  });
  return names;
}

function sizeAt(place: Place, object: unknown): number {
  const value = valueAt(place, object);
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

function isIn(place: Place, parent: Place): boolean {
  return place.length > parent.length && parent.every((key, index) => place[index] === key);
}

function isSame(a: Place, b: Place): boolean {
  return a.length === b.length && a.every((key, index) => key === b[index]);
}
