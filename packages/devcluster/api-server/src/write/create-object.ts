import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { alreadyExists, invalid, statusError } from '@slipway/api-machinery/errors/status-errors';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { objectTime } from '@slipway/api-machinery/json/write/object-time';
import { type KubeObject, type ObjectMeta, stringifyJson } from '@slipway/kube';
import type { Entry } from '@slipway/object-store/store';
import { withConversions } from '../conversion/conversion-needed.js';
import type { Call, Core } from '../core/core.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { metadataProblems } from '../request/object-meta.js';
import { type Served, serve } from '../response/payloads.js';
import { admissionFor, writeAttributes } from './admission-attributes.js';
import { requireOwnKind } from './body.js';
import { gatedProblems } from './gated-problems.js';
import { hasGeneration } from './generation.js';
import { type Owners, setOwners } from './owners.js';
import { type Pace, paceOf } from './pace.js';
import { removeRepeatedOwners } from './repeated-owners.js';
import { storable } from './store-object.js';
import { writeContext } from './write-context.js';
import { matchNamespace, requireActiveNamespace } from './write-guards.js';

const longestPrefix = 58;
const attempts = 8;

/** What a create left behind: the entry, or for a dry run the object that would have been stored. */
export type Created = { readonly entry: Entry } | { readonly dryRun: KubeObject };

/** Returns a created object as `definition` serves it. */
export function servedOf(definition: ResourceDefinition, created: Created): Served {
  if ('entry' in created) return serve(definition, created.entry);
  return { object: created.dryRun, json: stringifyJson(created.dryRun) };
}

export interface Creation {
  readonly dryRun: boolean;
  /** Who owns what of the object, which is as its writer wants it. */
  readonly owners: (object: KubeObject, pace: Pace) => Owners | Promise<Owners>;
}

/**
 * Creates an object that was decoded for `call`; it belongs to this function.
 * Everything before the store is synchronous, unless admission calls a webhook or the object is large.
 *
 * @throws StatusError for whatever is wrong with it, AlreadyExists included.
 */
export async function createObject(core: Core, call: Call, object: KubeObject, creation: Creation): Promise<Created> {
  const { definition } = call;
  const { dryRun } = creation;
  matchNamespace(call, object);
  requireOwnKind(definition, object);
  const { resourceVersion = '' } = object.metadata;
  delete object.metadata.deletionTimestamp;
  delete object.metadata.deletionGracePeriodSeconds;
  definition.applyServerDefaults?.(object, writeContext(core));
  const pace = paceOf(call, undefined, object);
  const owning = withConversions(definition, () => creation.owners(object, pace));
  const owners = owning instanceof Promise ? await owning : owning;
  const resting = pace.rest();
  if (resting) await resting;
  const { generation } = object.metadata;
  clearMetadata(object);
  setOwners(object, owners);
  // The namespace must stand before admission looks at its content.
  requireActiveNamespace(core, call, object);
  const request = writeAttributes('CREATE', call, { object }, dryRun);
  const admission = admissionFor(core, call);
  const mutating = admission.mutate(request);
  if (mutating) await mutating;
  // Where the system does not count, the number is the client's.
  stampMetadata(core, object, hasGeneration(definition, core.version) ? 1 : generation);
  removeRepeatedOwners(call, object, 'after admission');
  const preparing = definition.prepareToValidate?.(object);
  if (preparing) await preparing;
  // Built-in kinds decide themselves: a node keeps the status it registers with.
  if (definition.origin === 'custom' && definition.subresources.status) delete object.status;
  const context = writeContext(core);
  const name = generateName(core, call, object);
  definition.schema.dropDisabled?.(object, undefined, core.isEnabled);
  definition.prepareForCreate?.(object, context);
  const prepared = pace.rest();
  if (prepared) await prepared;
  const checking = pace.finish(problemsOf(core, definition, object));
  const errors = checking instanceof Promise ? await checking : checking;
  if (errors.length > 0) throw invalid(definition.kind, definition.errorGroup ?? definition.group, name, errors);
  // What is not a number of 64 bits is not looked at.
  if (
    !dryRun &&
    /^\d{1,20}$/.test(resourceVersion) &&
    BigInt(resourceVersion) > 0n &&
    BigInt(resourceVersion) < 2n ** 64n
  ) {
    throw statusError(500, undefined, 'resourceVersion should not be set on objects to be created');
  }
  const validated = pace.rest();
  if (validated) await validated;
  const validating = admission.validate(request);
  if (validating) await validating;
  if (!dryRun) definition.schema.toStored?.(object);
  const writing = dryRun ? object : core.conversion.toStored(definition, object);
  const written = writing instanceof Promise ? await writing : writing;
  const fitting = dryRun ? undefined : pace.finish(storable(core, call, written, undefined));
  const stored = fitting instanceof Promise ? await fitting : fitting;
  const settling = stored && pace.settle(stored);
  if (settling) await settling;
  const { namespace = '' } = object.metadata;
  const there = core.store.latest(definition.storedAs, namespace, name);
  if (there) {
    // Whoever is refused because of an object finds it, though it may still be on its way to the disk.
    await core.store.visible(definition.storedAs, namespace, name);
    throw takenBy(call, object, name, there);
  }
  admission.charge(request);
  if (!stored) {
    if (resourceVersion !== '') object.metadata.resourceVersion = resourceVersion;
    return { dryRun: await core.conversion.roundTrip(definition, object) };
  }
  const entry = await core.store.put(definition.storedAs, stored, undefined);
  await core.conversion.prepare(definition, [entry]);
  return { entry };
}

function* problemsOf(core: Core, definition: ResourceDefinition, object: KubeObject): Resumable<readonly FieldError[]> {
  const ofMetadata = metadataProblems(definition, object, core.version);
  yield;
  const ofSchema = definition.schema.validate ? yield* definition.schema.validate(object) : [];
  yield;
  const { validating } = definition;
  const ofKind = validating ? yield* validating.create(object) : definition.validateCreate(object);
  return [...ofMetadata, ...ofSchema, ...ofKind, ...gatedProblems(core, definition, object)];
}

/** Leaves of the metadata only what a client may say. */
function clearMetadata(object: KubeObject): void {
  const { name, generateName, namespace, labels, annotations, ownerReferences, finalizers } = object.metadata;
  const metadata: ObjectMeta = {};
  if (name) metadata.name = name;
  if (generateName) metadata.generateName = generateName;
  if (namespace) metadata.namespace = namespace;
  if (labels) metadata.labels = labels;
  if (annotations) metadata.annotations = annotations;
  if (ownerReferences) metadata.ownerReferences = ownerReferences;
  if (finalizers && finalizers.length > 0) metadata.finalizers = finalizers;
  object.metadata = metadata;
}

/** Fills in what the system says, which mutating admission does not see. */
function stampMetadata(core: Core, object: KubeObject, generation: number | undefined): void {
  const { name, generateName, namespace, uid: _, generation: __, creationTimestamp: ___, ...rest } = object.metadata;
  const metadata: ObjectMeta = {};
  if (name) metadata.name = name;
  if (generateName) metadata.generateName = generateName;
  if (namespace) metadata.namespace = namespace;
  metadata.uid = core.random.uid();
  if (generation) metadata.generation = generation;
  metadata.creationTimestamp = objectTime(core.clock.now());
  object.metadata = { ...metadata, ...rest };
}

/** Gives an object without a name one that is free, as far as a few attempts find one. */
function generateName(core: Core, call: Call, object: KubeObject): string {
  const { name, generateName, namespace = '' } = object.metadata;
  if (name) return name;
  if (!generateName) return '';
  const base = generateName.slice(0, longestPrefix);
  for (let attempt = 0; ; attempt++) {
    const drawn = `${base}${core.random.suffix()}`;
    const taken = core.store.latest(call.definition.storedAs, namespace, drawn) !== undefined;
    if (taken && attempt < attempts) continue;
    object.metadata = { name: drawn, ...object.metadata };
    return drawn;
  }
}

function takenBy(call: Call, { metadata }: KubeObject, name: string, there: Entry) {
  const error = alreadyExists(call.definition, name);
  let { message } = error;
  let { details } = error.status;
  if (metadata.generateName) {
    message += ', the server was not able to generate a unique name for the object';
    details = { ...details, retryAfterSeconds: 1 };
  }
  if (there.object.metadata.deletionTimestamp) message = `object is being deleted: ${message}`;
  return statusError(409, 'AlreadyExists', message, details);
}
