import { setOwn } from '@slipway/api-machinery/json/json-value';
import { cloneJson, type KubeObject } from '@slipway/kube';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import type { Attributes } from './admission.js';

/** Returns the kind of a request's object in the version by which it `matched`. */
export function writtenAs(
  matched: ResourceDefinition,
  { resource, kind }: Pick<Attributes, 'resource' | 'kind'>,
): ResourceDefinition {
  return kind === resource ? matched : kind;
}

/** An object of a request in the version by which it matched. */
export function servedAs(
  matched: ResourceDefinition,
  { resource, kind }: Attributes,
  object: KubeObject | undefined,
): KubeObject | undefined {
  if (object === undefined || writtenAs(matched, { resource, kind }) === kind) return object;
  return converted(object, resource, matched);
}

/**
 * Replaces the object of a request by a mutated one in the version by which it matched. Fields
 * that the kind does not have are told back, and gone.
 * @throws StatusError BadRequest when a value has the wrong JSON type
 */
export function takeOver(
  matched: ResourceDefinition,
  { resource, kind, object }: Attributes,
  made: KubeObject,
): readonly string[] {
  const next = cloneJson(made);
  const as = writtenAs(matched, { resource, kind });
  const { unknown } = as.schema.admit(next);
  if (typeof next.metadata !== 'object' || next.metadata === null) next.metadata = {};
  as.applyDefaults(next);
  if (object) overwrite(object, as === kind ? next : cloneJson(converted(next, matched, resource)));
  return unknown;
}

function converted(object: KubeObject, from: ResourceDefinition, to: ResourceDefinition): KubeObject {
  const stored = from.view?.toStored(object) ?? object;
  return to.view?.fromStored(stored) ?? stored;
}

function overwrite(object: KubeObject, by: KubeObject): void {
  for (const field of Object.keys(object)) if (!Object.hasOwn(by, field)) delete object[field];
  for (const [field, value] of Object.entries(by)) setOwn(object, field, value);
}
