import { conflict, notFound, statusError } from '@slipway/api-machinery/errors/status-errors';
import { comparingJson, copyingJson } from '@slipway/api-machinery/json/json-in-slices';
import { objectTime } from '@slipway/api-machinery/json/write/object-time';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { type KubeObject, stringifyJson } from '@slipway/kube';
import type { Call, Core } from '../core/core.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { type Served, serve } from '../response/payloads.js';
import { admissionFor, type DeleteScope, deleteAttributes } from './admission-attributes.js';
import { awaitVisibleOnError } from './await-visible-on-error.js';
import type { DeleteOptions, Propagation } from './delete-options.js';
import { paceOf } from './pace.js';
import { storageKey } from './storage-key.js';
import { storable } from './store-object.js';
import { writeContext } from './write-context.js';
import { requireDeletable } from './write-guards.js';

/** What a delete did: the object is gone, or it is still there and going. */
export type Deleted =
  | { readonly gone: true; readonly last: KubeObject }
  | { readonly gone: false; readonly object: Served };

/**
 * Deletes an object: at once, or by marking it when finalizers, a grace period
 * or dependents hold it.
 *
 * @throws StatusError NotFound, Conflict (preconditions) or Forbidden.
 */
export async function deleteObject(
  core: Core,
  call: Call,
  options: DeleteOptions,
  scope: DeleteScope = 'object',
): Promise<Deleted> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const deleted = await awaitVisibleOnError(core, call, () => deleteOnce(core, call, options, scope));
    if (deleted !== overtaken) return deleted;
  }
  throw conflict(call.definition, call.name);
}

/** Maximum attempts of a delete, which is repeated when the object is written during a call of a webhook. */
const attempts = 5;
const overtaken = Symbol('overtaken');

async function deleteOnce(
  core: Core,
  call: Call,
  options: DeleteOptions,
  scope: DeleteScope,
): Promise<Deleted | typeof overtaken> {
  const { definition } = call;
  if (options.ignoresStoreErrors && hasUnsafeDelete(core) && definition.hasNoUnsafeDelete) throw noUnsafeDelete();
  const basis = core.store.latest(definition.storedAs, call.namespace, call.name);
  if (!basis) throw notFound(definition, call.name);
  const pace = paceOf(call, basis);
  const parsing = pace.parse(basis);
  if (parsing) await parsing;
  const reading = core.conversion.read(definition, basis);
  const { object: old } = reading instanceof Promise ? await reading : reading;
  if (options.ignoresStoreErrors && hasUnsafeDelete(core)) throw conflict(definition, call.name, readable(core, call));
  requirePreconditions(call, old, options);
  requireDeletable(call);
  const validating = admissionFor(core, call).validate(deleteAttributes(call, old, options, scope));
  if (validating) await validating;
  const copying = pace.finish(copyingJson(old));
  const object = copying instanceof Promise ? await copying : copying;
  if (core.store.latest(definition.storedAs, call.namespace, call.name) !== basis) return overtaken;
  if (!old.metadata.deletionTimestamp) {
    const context = writeContext(core);
    definition.prepareForDelete?.(object, context);
  }
  const graceful = markGraceful(core, definition, object, options);
  setPropagation(object, options.propagation ?? (definition.orphansDependents ? 'Orphan' : undefined));
  const held = (object.metadata.finalizers?.length ?? 0) > 0 || isHeldNamespace(call, object);
  if (!graceful && !held) {
    if (options.dryRun) return { gone: true, last: object };
    const { revision } = await core.store.remove(basis);
    object.metadata.resourceVersion = String(revision);
    return { gone: true, last: object };
  }
  if (!graceful) markTerminating(core, definition, object);
  if (isHeldNamespace(call, object)) object.status = { ...object.status, phase: 'Terminating' };
  const comparing = pace.finish(comparingJson(object, old));
  const isEqual = comparing instanceof Promise ? await comparing : comparing;
  if (isEqual) return { gone: false, object: reading instanceof Promise ? await reading : reading };
  if (options.dryRun) return { gone: false, object: { object, json: stringifyJson(object) } };
  const writing = core.conversion.toStored(definition, object);
  const written = writing instanceof Promise ? await writing : writing;
  const fitting = pace.finish(storable(core, call, written, basis));
  const stored = fitting instanceof Promise ? await fitting : fitting;
  const settling = pace.settle(stored);
  if (settling) await settling;
  if (core.store.latest(definition.storedAs, call.namespace, call.name) !== basis) return overtaken;
  const entry = await core.store.put(definition.storedAs, stored, basis);
  await core.conversion.prepare(definition, [entry]);
  return { gone: false, object: serve(definition, entry) };
}

/** Whether a delete may skip what the store cannot read: from 1.37 on, and never what can be read. */
export function hasUnsafeDelete({ version }: Core): boolean {
  return minorOf(version) >= 37;
}

function noUnsafeDelete() {
  const why = 'no unsafe deleter provided, can not honor ignoreStoreReadErrorWithClusterBreakingPotential';
  return statusError(500, 'InternalError', `Internal error occurred: ${why}`, { causes: [{ message: why }] });
}

function readable(core: Core, call: Call): string {
  return (
    `StorageError: invalid object, Code: 4, Key: ${storageKey(core, call)}, ResourceVersion: 0, AdditionalErrorMsg: ` +
    'unsafe deletion is not allowed because the object is decodable from storage'
  );
}

/** @throws StatusError Conflict when the object is not the one that is meant. */
export function requirePreconditions(call: Call, old: KubeObject, { preconditions }: DeleteOptions): void {
  const { uid, resourceVersion } = preconditions;
  const { group, kind, errorGroup = group } = call.definition;
  const named = { group: errorGroup, plural: kind };
  if (uid !== undefined && uid !== null && uid !== old.metadata.uid) {
    throw conflict(
      named,
      call.name,
      `the UID in the precondition (${uid}) does not match the UID in record (${old.metadata.uid}). ` +
        'The object might have been deleted and then recreated',
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== null && resourceVersion !== old.metadata.resourceVersion) {
    throw conflict(
      named,
      call.name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record ` +
        `(${old.metadata.resourceVersion}). The object might have been modified`,
    );
  }
}

/**
 * Gives a kind that stops gracefully its time, in place. True when the object is
 * to stay for now; a later delete can only shorten the time.
 */
function markGraceful(core: Core, definition: ResourceDefinition, object: KubeObject, options: DeleteOptions): boolean {
  if (!definition.gracePeriodSeconds) return false;
  const meta = object.metadata;
  const asked = options.gracePeriodSeconds;
  if (meta.deletionTimestamp) {
    const left = meta.deletionGracePeriodSeconds ?? 0;
    if (asked === undefined) return left > 0;
    const shorter = asked < 0 ? 1 : asked;
    if (shorter >= left) return left > 0;
    const deadlineMs = Date.parse(meta.deletionTimestamp) + (shorter - left) * 1000;
    meta.deletionTimestamp = objectTime(deadlineMs);
    meta.deletionGracePeriodSeconds = shorter;
    return shorter > 0;
  }
  const given = definition.gracePeriodSeconds(object, asked);
  const seconds = given < 0 ? 1 : given;
  meta.deletionTimestamp = objectTime(core.clock.now() + seconds * 1000);
  meta.deletionGracePeriodSeconds = seconds;
  if (meta.generation) meta.generation++;
  return seconds > 0;
}

/** Marks what waits for its finalizers only, in place; what is marked already stays as it is. */
function markTerminating(core: Core, definition: ResourceDefinition, object: KubeObject): void {
  const meta = object.metadata;
  if (!meta.deletionTimestamp) {
    meta.deletionTimestamp = objectTime(core.clock.now());
    if (meta.generation) meta.generation++;
  }
  if (object.kind !== 'Namespace' && !definition.prepareForDelete) meta.deletionGracePeriodSeconds = 0;
}

/** The finalizers by which the garbage collector knows what to do with dependents. */
function setPropagation({ metadata }: KubeObject, propagation: Propagation | undefined): void {
  if (propagation === undefined) return;
  const wanted = { Orphan: 'orphan', Foreground: 'foregroundDeletion', Background: undefined }[propagation];
  const kept = (metadata.finalizers ?? []).filter((name) => name !== 'orphan' && name !== 'foregroundDeletion');
  const finalizers = wanted === undefined ? kept : [...kept, wanted];
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
}

function isHeldNamespace({ definition }: Call, object: KubeObject): boolean {
  return definition.subresources.finalize === true && (object.spec?.finalizers?.length ?? 0) > 0;
}
