import { type Applied, applyConfiguration } from '@slipway/api-machinery/apply/apply-configuration';
import { ApplyConflict, describable, messageOf } from '@slipway/api-machinery/apply/apply-conflict';
import { checkingType, type Duplicates } from '@slipway/api-machinery/apply/check-type';
import { hasPath } from '@slipway/api-machinery/apply/field-set';
import { fieldsOfLastApplied, noteLastApplied } from '@slipway/api-machinery/apply/last-applied';
import { decodeManagers, ManagedFieldsError, type Manager, type Managers } from '@slipway/api-machinery/apply/managers';
import { describePath } from '@slipway/api-machinery/apply/path-element';
import { ShapeError } from '@slipway/api-machinery/apply/shape-error';
import { trackUpdate } from '@slipway/api-machinery/apply/track-update';
import type { TypedKind } from '@slipway/api-machinery/apply/typed-kind';
import { statusError } from '@slipway/api-machinery/errors/status-errors';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { copyingJson } from '@slipway/api-machinery/json/json-in-slices';
import { objectTime } from '@slipway/api-machinery/json/write/object-time';
import { apiVersionOf, type KubeObject, StatusError } from '@slipway/kube';
import type { Call, Core } from '../core/core.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { admitConverted } from './admit-converted.js';
import { kindText } from './apply-body.js';
import { inConversion } from './conversion-words.js';
import { type Owners, ownersIn } from './owners.js';
import { emptyObject, typedKind } from './typed-definition.js';

/** Who applies what. */
export interface Apply {
  readonly config: Readonly<Record<string, unknown>>;
  readonly fieldManager: string;
  readonly force: boolean;
}

/** What an apply makes of an object: admitted, with defaults, and owned. */
export interface AppliedObject {
  readonly object: KubeObject;
  readonly owners: Owners;
}

/**
 * Lays a configuration over `live`, or over nothing when there is no object yet.
 * The result belongs to the caller.
 *
 * @throws StatusError Conflict about fields that others own; 500 for what is not of the kind's type.
 */
export function* applyToObject(
  core: Core,
  call: Call,
  live: KubeObject | undefined,
  apply: Apply,
): Resumable<AppliedObject> {
  const { definition } = call;
  const kind = typedKind(core, definition, call.subresource);
  const before = live ?? emptyObject(definition);
  const { subresource } = call;
  const applied = yield* inWords(function* () {
    yield* requireType(kind, apply.config, 'failed to create typed patch object', 'refused');
    yield;
    yield* requireType(kind, before, 'failed to create typed live object', 'allowed');
    yield;
    const time = objectTime(core.clock.now());
    const managers = yield* knownManagers(kind, before, emptyObject(definition), subresource, time);
    return yield* applyTo(kind, before, managers, { ...apply, subresource, time });
  });
  yield;
  const object = (yield* copyingJson(applied.object ?? before)) as KubeObject;
  delete object.metadata?.managedFields;
  if (apply.fieldManager === kubectl) noteLastApplied(object, apply.config);
  yield;
  admit(definition, object, describeObject(kind, apply.config));
  if (typeof object.metadata !== 'object' || object.metadata === null) object.metadata = {};
  yield;
  definition.applyDefaults(object, 'kept');
  return { object, owners: yield* ownersIn(core, definition, applied.managers) };
}

/** What the type lets pass and the kind does not, such as a time that is none, is found when what was merged is converted. */
function admit(definition: ResourceDefinition, object: KubeObject, named: string): void {
  try {
    admitConverted(definition, object);
  } catch (error) {
    if (!(error instanceof StatusError) || definition.origin === 'custom') throw error;
    const { kind } = definition;
    const preamble = `${kind} in version ${JSON.stringify(definition.version)} cannot be handled as a ${kind}: `;
    const why = error.message.startsWith(preamble) ? error.message.slice(preamble.length) : error.message;
    const type = kindText(apiVersionOf(definition), kind);
    throw statusError(
      500,
      undefined,
      `failed to convert new object (${named}) to proper version: unable to convert unstructured object to ${type}: ${inConversion(why, error.cause)}`,
    );
  }
}

const kubectl = 'kubectl';

/** An object without known owners was written by an unknown manager before it was first applied. */
function* knownManagers(
  kind: TypedKind,
  live: KubeObject,
  empty: KubeObject,
  subresource: string,
  time: string,
): Resumable<Managers> {
  const managers = yield* decodeManagers(live.metadata?.managedFields);
  if (managers.size > 0) return managers;
  const unknownManager: Manager = { name: 'before-first-apply', operation: 'Update', subresource };
  return yield* trackUpdate(kind, empty, live, managers, unknownManager, time);
}

interface Attempt extends Apply {
  readonly subresource: string;
  readonly time: string;
}

/** Applies; kubectl may take over what it applied itself when it still merged on its own. */
function* applyTo(kind: TypedKind, live: KubeObject, managers: Managers, attempt: Attempt): Resumable<Applied> {
  const { config, fieldManager, subresource, time } = attempt;
  const applier = { name: fieldManager, operation: 'Apply', subresource } as const;
  try {
    return yield* applyConfiguration(kind, live, managers, { config, applier, force: attempt.force, time });
  } catch (error) {
    if (!(error instanceof ApplyConflict) || fieldManager !== kubectl) throw error;
    const own = fieldsOfLastApplied(kind, live);
    const left = error.conflicts.filter(({ path }) => !hasPath(own, path));
    if (left.length === 0)
      return yield* applyConfiguration(kind, live, managers, { config, applier, force: true, time });
    throw new ApplyConflict(left);
  }
}

function* requireType(
  kind: TypedKind,
  value: Readonly<Record<string, unknown>>,
  what: string,
  duplicates: Duplicates,
): Resumable<void> {
  try {
    yield* checkingType(kind.type, value, duplicates);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new ShapeError(`${what} (${describeObject(kind, value)}): ${error.message}`);
  }
}

function describeObject(kind: TypedKind, value: Readonly<Record<string, unknown>>): string {
  const { namespace, name } = Object(value.metadata) as { namespace?: unknown; name?: unknown };
  const text = (given: unknown) => (typeof given === 'string' ? given : '');
  return `${text(namespace)}/${text(name)}; ${kindText(kind.apiVersion, String(value.kind))}`;
}

/** What apply refuses, as a Status in the words that clients know. */
function* inWords<T>(apply: () => Resumable<T>): Resumable<T> {
  try {
    return yield* apply();
  } catch (error) {
    if (error instanceof ApplyConflict) throw conflictStatus(error);
    if (error instanceof ShapeError) throw statusError(500, undefined, error.message);
    if (error instanceof ManagedFieldsError) {
      throw statusError(500, undefined, `failed to decode managed fields: ${error.message}`);
    }
    throw error;
  }
}

function conflictStatus({ conflicts }: ApplyConflict): StatusError {
  const causes = describable(conflicts).map(({ described, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${described}`,
    field: describePath(path),
  }));
  return statusError(409, 'Conflict', messageOf(conflicts), { causes });
}
