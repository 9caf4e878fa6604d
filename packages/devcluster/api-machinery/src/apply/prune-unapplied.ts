import type { FieldSchema } from '../schema/object-schema.js';
import { difference, type FieldSet, intersection, isEmpty, noFields, union } from './field-set.js';
import { fieldsOf } from './fields-of.js';
import type { Managers, Owned } from './managers.js';
import { withNamedFields } from './named-fields.js';
import { removeFields } from './remove-fields.js';
import type { TypedKind } from './typed-kind.js';

/**
 * Removes from a merged object the fields that its applier set last time, if neither
 * the applier nor another manager sets them now.
 *
 * @param managers including the new fields of the applier
 * @param before its previous fields, in the version that it applied then
 */
export function prune(kind: TypedKind, merged: unknown, managers: Managers, before: Owned | undefined): unknown {
  if (!before || isEmpty(before.fields)) return merged;
  const at = versionOf(kind, before.apiVersion);
  if (!at) return merged;
  const whole = at.see(merged);
  const last = withNamedFields(at.type, before.fields);
  const bare = removeFields(at.type, whole, last);
  const kept = keepOwned(kind, { type: at.type, apiVersion: before.apiVersion, whole, bare }, managers);
  const { type } = at;
  // What is gone but was never the applier's comes back.
  const gone = intersection(difference(named(type, whole), named(type, kept)), last);
  return at.back(removeFields(type, whole, gone));
}

interface Candidate {
  readonly type: FieldSchema;
  readonly apiVersion: string;
  readonly whole: unknown;
  readonly bare: unknown;
}

/** Restores fields that other managers own, version by version, beginning with the pruned one. */
function keepOwned(kind: TypedKind, { type, apiVersion, whole, bare }: Candidate, managers: Managers): unknown {
  const byVersion = new Map<string, FieldSet>([[apiVersion, noFields]]);
  for (const { apiVersion: version, fields } of managers.values()) {
    byVersion.set(version, union(byVersion.get(version) ?? noFields, fields));
  }
  let kept = bare;
  for (const [version, fields] of byVersion) {
    const own = version === apiVersion;
    const at = own ? { type, see: same, back: same } : across(kind, apiVersion, version);
    if (!at) continue;
    const [all, left] = [at.see(whole), at.see(kept)];
    const spare = difference(named(at.type, all), union(named(at.type, left), withNamedFields(at.type, fields)));
    kept = at.back(removeFields(at.type, all, spare));
  }
  return kept;
}

function named(type: FieldSchema, value: unknown): FieldSet {
  return withNamedFields(type, fieldsOf(type, value));
}

function versionOf(kind: TypedKind, apiVersion: string) {
  if (apiVersion === kind.apiVersion) return { type: kind.type, see: same, back: same };
  return kind.at(apiVersion);
}

/** How to get from one version to another, by way of the kind's own. */
function across(kind: TypedKind, from: string, to: string) {
  const [start, end] = [versionOf(kind, from), versionOf(kind, to)];
  if (!start || !end) return undefined;
  return {
    type: end.type,
    see: (object: unknown) => end.see(start.back(object)),
    back: (object: unknown) => start.see(end.back(object)),
  };
}

const same = (object: unknown) => object;
