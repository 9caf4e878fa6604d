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

/** Objects of requests in other versions, where a webhook converted them; an entry is good until its object is changed. */
const convertedForms = new WeakMap<KubeObject, Map<ResourceDefinition, KubeObject>>();

/** Converts an object from one version of its kind to another. */
export type ConvertBetween = (
  from: ResourceDefinition,
  to: ResourceDefinition,
  object: KubeObject,
) => Promise<KubeObject>;

/** Whether a webhook converts the objects of a request into the version by which it matched. */
function isConvertedByWebhook(matched: ResourceDefinition, { resource, kind }: Attributes): boolean {
  return resource.conversion !== undefined && writtenAs(matched, { resource, kind }) !== kind;
}

/**
 * Converts the objects of a request into the version by which it matched, so that `servedAs` has them; undefined when
 * nothing has to be waited for.
 * @throws StatusError, by the promise, when a webhook does not convert an object
 */
export function prepareVersions(
  matched: ResourceDefinition,
  request: Attributes,
  between: ConvertBetween,
): Promise<void> | undefined {
  if (!isConvertedByWebhook(matched, request)) return undefined;
  const { resource } = request;
  const missing = [request.object, request.old].flatMap((object) =>
    object && !convertedForms.get(object)?.has(matched) ? [object] : [],
  );
  if (missing.length === 0) return undefined;
  const convert = async (object: KubeObject) => {
    const forms = convertedForms.get(object) ?? new Map<ResourceDefinition, KubeObject>();
    convertedForms.set(object, forms);
    forms.set(matched, await between(resource, matched, object));
  };
  return Promise.all(missing.map(convert)).then(() => {});
}

/** Forgets what `prepareVersions` made of the object of a request: it was changed. */
export function forgetVersions({ object }: Attributes): void {
  if (object) convertedForms.delete(object);
}

/**
 * Replaces the object of a request by a mutated one in the version by which it matched. Fields
 * that the kind does not have are told back, and gone.
 * @throws StatusError BadRequest when a value has the wrong JSON type
 */
export function takeOver(matched: ResourceDefinition, attributes: Attributes, made: KubeObject): readonly string[] {
  const { resource, kind, object } = attributes;
  const { next, unknown } = admitted(matched, attributes, made);
  const isOwn = writtenAs(matched, attributes) === kind;
  if (object) overwrite(object, isOwn ? next : cloneJson(converted(next, matched, resource)));
  return unknown;
}

/**
 * As `takeOver`, where a webhook may have to convert the mutated object back; undefined when it is done at once.
 * @throws StatusError, also by the promise
 */
export function takeOverConverted(
  matched: ResourceDefinition,
  attributes: Attributes,
  made: KubeObject,
  between: ConvertBetween,
): Promise<void> | undefined {
  const { resource, object } = attributes;
  if (!isConvertedByWebhook(matched, attributes)) {
    takeOver(matched, attributes, made);
    return undefined;
  }
  const { next } = admitted(matched, attributes, made);
  return between(matched, resource, next).then((back) => {
    if (!object) return;
    overwrite(object, cloneJson(back));
    forgetVersions(attributes);
  });
}

function admitted(matched: ResourceDefinition, attributes: Attributes, made: KubeObject) {
  const next = cloneJson(made);
  const as = writtenAs(matched, attributes);
  const { unknown } = as.schema.admit(next);
  if (typeof next.metadata !== 'object' || next.metadata === null) next.metadata = {};
  as.applyDefaults(next);
  for (const map of ['labels', 'annotations'] as const) {
    if (Object.keys(next.metadata[map] ?? {}).length === 0) delete next.metadata[map];
  }
  return { next, unknown };
}

function converted(object: KubeObject, from: ResourceDefinition, to: ResourceDefinition): KubeObject {
  const known = convertedForms.get(object)?.get(to);
  if (known) return known;
  const stored = from.view?.toStored(object) ?? object;
  return to.view?.fromStored(stored) ?? stored;
}

function overwrite(object: KubeObject, by: KubeObject): void {
  for (const field of Object.keys(object)) if (!Object.hasOwn(by, field)) delete object[field];
  for (const [field, value] of Object.entries(by)) setOwn(object, field, value);
}
