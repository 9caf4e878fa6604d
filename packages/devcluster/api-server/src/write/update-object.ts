import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { conflict, invalid, notFound } from '@slipway/api-machinery/errors/status-errors';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { comparingJson } from '@slipway/api-machinery/json/json-in-slices';
import { setOwn } from '@slipway/api-machinery/json/json-value';
import { type KubeObject, stringifyJson } from '@slipway/kube';
import type { Entry } from '@slipway/object-store/store';
import { withConversions } from '../conversion/conversion-needed.js';
import type { Call, Core } from '../core/core.js';
import { restore } from '../registry/define-resource.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { copyJson } from '../request/json-copy.js';
import { metadataUpdateProblems } from '../request/object-meta.js';
import { parseWrittenVersion } from '../request/resource-version.js';
import { type Served, serve } from '../response/payloads.js';
import { admissionFor, writeAttributes } from './admission-attributes.js';
import { awaitVisibleOnError } from './await-visible-on-error.js';
import { gatedProblems } from './gated-problems.js';
import { hasGeneration, raisesGeneration } from './generation.js';
import { keepTimes, type Owners, setOwners } from './owners.js';
import { type Pace, paceOf } from './pace.js';
import { removeRepeatedOwners } from './repeated-owners.js';
import { otherUid } from './storage-key.js';
import { storable } from './store-object.js';
import { writeContext } from './write-context.js';
import { matchNamespace } from './write-guards.js';

/** How an update is made of what is stored. */
export interface Change {
  /** The new object; it belongs to the update. `old` is frozen. Called again when another write came first. */
  readonly make: (old: KubeObject, pace: Pace) => KubeObject | Promise<KubeObject>;
  /** Who owns what afterwards; `object` is what `make` gave. Absent = who owned it before. */
  readonly owners?: (object: KubeObject, old: KubeObject, pace: Pace) => Owners | Promise<Owners>;
  /** Where what is written is of another kind: the Scale of a Deployment. */
  readonly face?: {
    readonly kind: ResourceDefinition;
    /** What admission sees of an object. */
    readonly of: (object: KubeObject) => KubeObject;
    /** Takes over into an object what admission changed of what it saw. */
    readonly keep: (face: KubeObject, object: KubeObject) => void;
  };
  readonly dryRun: boolean;
  /** A PUT of custom resources and some others must say which version it replaces; patches made from the stored object do. */
  readonly mayOmitVersion: boolean;
  /** A uid in the body is a precondition (PUT), rather than a field that cannot change (PATCH). */
  readonly uidIsPrecondition: boolean;
}

/**
 * Replaces a stored object by what `change` makes of it. A write that changes
 * nothing stores nothing, and taking the last finalizer of an object that is
 * being deleted removes it. Subresources other than '' write their part only.
 *
 * @throws StatusError NotFound, Conflict, Invalid, or what `change.make` throws.
 */
export async function updateObject(core: Core, call: Call, change: Change): Promise<Served> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const served = await awaitVisibleOnError(core, call, () => updateOnce(core, call, change));
    if (served !== overtaken) return served;
  }
  throw conflict(call.definition, call.name);
}

/** How often an update is computed anew because another write came while others had their turn. Kubernetes has no limit. */
const attempts = 100;
const overtaken = Symbol('overtaken');

async function updateOnce(core: Core, call: Call, change: Change): Promise<Served | typeof overtaken> {
  const { definition } = call;
  const read = paceOf(call).rest();
  if (read) await read;
  const basis = core.store.latest(definition.storedAs, call.namespace, call.name);
  if (!basis) throw notFound(definition, call.name);
  const parsing = paceOf(call, basis).parse(basis);
  if (parsing) await parsing;
  const converting = core.conversion.prepareBasis(definition, basis);
  if (converting) await converting;
  const old = serve(definition, basis).object;
  const making = withConversions(definition, () => change.make(old, paceOf(call, basis)));
  const object = making instanceof Promise ? await making : making;
  definition.applyServerDefaults?.(object, writeContext(core));
  const pace = paceOf(call, basis, object);
  matchNamespace(call, object);
  requireVersion(core, call, change, object, old);
  const made = pace.rest();
  if (made) await made;
  const owning = withConversions(definition, () =>
    change.owners ? change.owners(object, old, pace) : (old.metadata.managedFields as Owners),
  );
  const owners = owning instanceof Promise ? await owning : owning;
  restoreOwned(call, object, old);
  setOwners(object, owners);
  const resting = pace.rest();
  if (resting) await resting;
  const { face } = change;
  const seen = face ? { kind: face.kind, object: face.of(object), old: face.of(old) } : { object, old };
  const request = writeAttributes('UPDATE', call, seen, change.dryRun);
  const admission = admissionFor(core, call);
  const admitted = { ...object };
  const mutating = admission.mutate(request);
  if (mutating) await mutating;
  if (wasReplaced(object, admitted)) {
    // Admission cannot change what the write may not touch either.
    restoreOwned(call, object, old);
    setOwners(object, owners);
  }
  removeRepeatedOwners(call, object, 'after admission');
  const preparing = call.subresource === '' ? definition.prepareToValidate?.(object) : undefined;
  if (preparing) await preparing;
  face?.keep(seen.object, object);
  const context = writeContext(core, call.subresource);
  definition.schema.dropDisabled?.(object, old, core.isEnabled);
  definition.prepareForUpdate?.(object, old, context);
  // A pod is what its writer wants wherever it is put.
  const isPlaced = call.subresource === 'binding';
  if (!isPlaced && hasGeneration(definition, core.version) && raisesGeneration(definition, object, old)) {
    object.metadata.generation = (old.metadata.generation ?? 0) + 1;
  }
  const prepared = pace.rest();
  if (prepared) await prepared;
  const checking = pace.finish(problemsOf(core, call, object, old));
  const errors = checking instanceof Promise ? await checking : checking;
  if (errors.length > 0) {
    // Admission may have changed the name, which is one of the errors.
    const { name = call.name } = object.metadata;
    throw invalid(definition.kind, definition.errorGroup ?? definition.group, name, errors);
  }
  const validated = pace.rest();
  if (validated) await validated;
  const validating = admission.validate(request);
  if (validating) await validating;
  if (!change.dryRun) definition.schema.toStored?.(object);
  const comparing = pace.finish(outcomeOf(object, old));
  const comparison = comparing instanceof Promise ? await comparing : comparing;
  const outcome = comparison === 'unchanged' && isOfOldVersion(definition, object, basis) ? 'changed' : comparison;
  const compared = pace.rest();
  if (compared) await compared;
  const isStored = outcome === 'changed' && !change.dryRun;
  const writing = isStored ? core.conversion.toStored(definition, object) : object;
  const written = writing instanceof Promise ? await writing : writing;
  const fitting = isStored ? pace.finish(storable(core, call, written, basis)) : undefined;
  const stored = fitting instanceof Promise ? await fitting : fitting;
  const settling = stored && pace.settle(stored);
  if (settling) await settling;
  if (core.store.latest(definition.storedAs, call.namespace, call.name) !== basis) return overtaken;
  admission.charge(request);
  if (stored) {
    const entry = await core.store.put(definition.storedAs, stored, basis);
    await core.conversion.prepare(definition, [entry]);
    return serve(definition, entry);
  }
  if (outcome === 'unchanged') return serve(definition, basis);
  if (outcome === 'changed') {
    const shown = await core.conversion.roundTrip(definition, object);
    return { object: shown, json: stringifyJson(shown) };
  }
  // Watchers see what was stored; only the one who took the last finalizer sees it without.
  const last = { object, json: stringifyJson(object) };
  if (!change.dryRun) await core.store.remove(basis);
  return last;
}

function* problemsOf(core: Core, call: Call, object: KubeObject, old: KubeObject): Resumable<readonly FieldError[]> {
  const { definition, subresource } = call;
  // What a binding says is on the pod at once, whatever it is.
  if (subresource === 'binding') return [];
  const ofMetadata = metadataUpdateProblems(definition, object, old, core.version, subresource);
  yield;
  const ofSchema = definition.schema.validate ? yield* definition.schema.validate(object, old) : [];
  yield;
  const { validating } = definition;
  const ofKind = validating
    ? yield* validating.update(object, old, subresource, core.version)
    : definition.validateUpdate(object, old, subresource, core.version);
  const ofGates = gatedProblems(core, definition, object, old);
  return [...ofMetadata, ...ofSchema.map((error) => inPart(call, error)), ...ofKind, ...ofGates];
}

/** Whether an object is stored in another version than objects are now: any write has it stored anew. */
function isOfOldVersion({ origin, view, conversion }: ResourceDefinition, object: KubeObject, basis: Entry): boolean {
  if (origin !== 'custom') return false;
  const { apiVersion } = view?.toStored(object) ?? object;
  return basis.object.apiVersion !== (conversion?.storedAs ?? apiVersion);
}

/** What a write comes to. Times that are all that it would change are taken back. */
function* outcomeOf(object: KubeObject, old: KubeObject): Resumable<'released' | 'unchanged' | 'changed'> {
  if (isReleased(object)) return 'released';
  yield* keepTimes(object, old);
  return (yield* comparingJson(object, old)) ? 'unchanged' : 'changed';
}

/** Whether nothing holds an object back whose deletion was asked for. */
function isReleased({ metadata, spec, ...object }: KubeObject): boolean {
  if (!metadata.deletionTimestamp || (metadata.finalizers?.length ?? 0) > 0) return false;
  if ((metadata.deletionGracePeriodSeconds ?? 0) > 0) return false;
  // A namespace is also held by the finalizers in its spec.
  return !(object.kind === 'Namespace' && object.apiVersion === 'v1' && (spec?.finalizers?.length ?? 0) > 0);
}

/** What the schema of a status says is said from the status, where only that is being written. */
function inPart({ definition, subresource }: Call, error: FieldError): FieldError {
  if (definition.origin !== 'custom' || subresource !== 'status') return error;
  return { ...error, detail: error.detail.replace(/^status\.(?=\S+ in body )/, '') };
}

function requireVersion(core: Core, call: Call, change: Change, object: KubeObject, old: KubeObject): void {
  const { definition, name } = call;
  const { uid } = object.metadata;
  if (change.uidIsPrecondition && uid && uid !== old.metadata.uid) {
    throw conflict(definition, name, otherUid(core, call, uid, old.metadata.uid, change.dryRun));
  }
  const version = parseWrittenVersion(object.metadata.resourceVersion);
  if (version === 0) {
    if ((definition.origin === 'custom' || definition.mustNameVersion) && !change.mayOmitVersion) {
      throw invalidVersion(call);
    }
    if (old.metadata.resourceVersion !== undefined) object.metadata.resourceVersion = old.metadata.resourceVersion;
  } else if (version !== Number(old.metadata.resourceVersion)) {
    throw conflict(definition, name);
  }
}

/** The storage names the resource where validation names the kind. */
function invalidVersion(call: Call) {
  const { plural, group } = call.definition;
  return invalid(plural, group, call.name, [
    { type: 'Invalid', field: 'metadata.resourceVersion', value: 0, detail: 'must be specified for an update' },
  ]);
}

/** A write of the status changes the metadata too, for most built-in kinds. */
function restoreAllButStatus(
  { origin, statusKeeps = [] }: ResourceDefinition,
  object: KubeObject,
  old: KubeObject,
): void {
  const { status, metadata } = object;
  for (const field of Object.keys(object)) delete object[field];
  for (const [field, value] of Object.entries(copyJson(old))) setOwn(object, field, value);
  if (status === undefined) delete object.status;
  else object.status = status;
  if (origin === 'custom' || statusKeeps === 'metadata') return;
  const before = object.metadata;
  object.metadata = metadata;
  for (const field of statusKeeps) restore(metadata, before, field);
}

/** Whether a policy or webhook put other fields in the place of those that an object had. */
function wasReplaced(object: Readonly<KubeObject>, before: Readonly<KubeObject>): boolean {
  const names = new Set([...Object.keys(object), ...Object.keys(before)]);
  return [...names].some((name) => object[name as keyof KubeObject] !== before[name as keyof KubeObject]);
}

/** Puts back what this write may not touch: the system's metadata, and what belongs to other subresources. */
function restoreOwned(call: Call, object: KubeObject, old: KubeObject): void {
  const { definition, subresource } = call;
  if (subresource === 'status') {
    restoreAllButStatus(definition, object, old);
    if (definition.origin === 'custom' || definition.statusKeeps === 'metadata') return;
  }
  if (definition.subresources.status && subresource === '') {
    if (old.status === undefined) delete object.status;
    else object.status = copyJson(old.status);
  }
  const [meta, before] = [object.metadata, old.metadata];
  meta.uid ||= before.uid ?? '';
  meta.creationTimestamp = before.creationTimestamp || meta.creationTimestamp || '';
  // Once asked for, a deletion cannot be taken back.
  if (before.deletionTimestamp) meta.deletionTimestamp = before.deletionTimestamp;
  if (meta.deletionGracePeriodSeconds === undefined && before.deletionGracePeriodSeconds !== undefined) {
    meta.deletionGracePeriodSeconds = before.deletionGracePeriodSeconds;
  }
  if (before.generation === undefined) delete meta.generation;
  else meta.generation = before.generation;
  delete (meta as { selfLink?: string }).selfLink;
  for (const list of ['finalizers', 'ownerReferences'] as const) if (meta[list]?.length === 0) delete meta[list];
  for (const map of ['labels', 'annotations'] as const) {
    if (meta[map] && Object.keys(meta[map]).length === 0) delete meta[map];
  }
}
