import { canonicalJson } from '../api/canonical-json.js';
import type { FeatureDefinitionSpec, Reference } from '../api/feature-definition.js';
import { referencesOf } from './embedding.js';
import { type FieldPath, type Place, parseFieldPath, placesOf, valueAt } from './field-path.js';

/**
 * A field whose presence in an object is a use of a feature, unless its value is the
 * one that the API server's defaulting sets in every object: no user asked for that.
 */
export interface UsedField {
  readonly path: FieldPath;
  readonly defaultValue?: unknown;
}

/** The field a reference is about. Undefined when the whole object is the use. @throws FieldPathError */
export function fieldOf({ path, default: defaultValue }: Pick<Reference, 'path' | 'default'>): UsedField | undefined {
  if (path === undefined) return undefined;
  return { path: parseFieldPath(path), ...(defaultValue !== undefined && { defaultValue }) };
}

/** Every place of an object that uses the field, in the order of the object. */
export function usesOf({ path, defaultValue }: UsedField, object: unknown): readonly Place[] {
  const places = placesOf(path, object);
  if (defaultValue === undefined) return places;
  return places.filter((place) => !isSameValue(valueAt(place, object), defaultValue));
}

/** What a reference and the arguments of a task have in common when they are about the same field. */
export type FieldName = Pick<Reference, 'group' | 'resource' | 'path' | 'match'>;

/** The default that a definition declares for a field. */
export function declaredDefault(definition: FeatureDefinitionSpec, field: FieldName): unknown {
  return referencesOf(definition).find((reference) => isSameField(reference, field))?.default;
}

export function isSameField(a: FieldName, b: FieldName): boolean {
  const isSameResource = a.group === b.group && a.resource === b.resource && a.path === b.path;
  return isSameResource && isSameValue(a.match ?? [], b.match ?? []);
}

/** Whether two values of a field are equal, whatever the order of their keys. */
export function isSameValue(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
