import { invalid } from '@slipway/api-machinery/errors/status-errors';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { copyingJson } from '@slipway/api-machinery/json/json-in-slices';
import { apiVersionOf, type KubeObject, StatusError } from '@slipway/kube';
import type { Call, Core } from '../core/core.js';
import { objectAnswer } from '../core/represent.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import type { ApiAnswer } from '../request/request.js';
import { type FieldValidation, readWriteOptions } from '../request/write-options.js';
import { admitConverted } from '../write/admit-converted.js';
import { unknownFields, wrongKind } from '../write/body.js';
import { inConversion } from '../write/conversion-words.js';
import { objectWarnings } from '../write/object-warnings.js';
import { ownersOfChanged } from '../write/owners.js';
import { isApply, type Patch, patchTypeOf, readPatch, unacceptable } from '../write/patch-body.js';
import { unknownKind } from '../write/require-kind.js';
import { updateObject } from '../write/update-object.js';
import { matchName, matchNamespace } from '../write/write-guards.js';
import { apply } from './apply.js';

/** PATCH of an object, or of its status, by any of the ways to say what changes. */
export async function patch(core: Core, call: Call): Promise<ApiAnswer> {
  if (isApply(call.request)) return apply(core, call);
  const type = patchTypeOf(call.definition, call.request);
  const options = readWriteOptions(call.query, 'PatchOptions');
  const read = readPatch(call.definition, type, call.request.body, core.version);
  let warnings: readonly string[] = [];
  const made = function* (old: KubeObject) {
    const object = yield* patched(call, read, old, options.fieldValidation);
    warnings = yield* objectWarnings(call, object, old);
    matchNamespace(call, object);
    matchName(call, object);
    return object;
  };
  const served = await updateObject(core, call, {
    make: (old, { finish }) => finish(made(old)),
    owners: (object, old, { finish }) => finish(ownersOfChanged(core, call, object, old, options.fieldManager)),
    dryRun: options.dryRun,
    mayOmitVersion: false,
    uidIsPrecondition: false,
  });
  return objectAnswer(core, call, 200, served, warnings);
}

function* patched(
  { definition, warn }: Call,
  read: Patch,
  old: KubeObject,
  validation: FieldValidation,
): Resumable<KubeObject> {
  const result = yield* read.apply(old);
  yield;
  // What a patch function returns may share parts with the stored object, which is frozen.
  const object = yield* copyingJson(result);
  yield;
  if (validation === 'Warn') for (const text of unknownFields(withoutType(definition, object))) warn(text);
  if (read.keepsType) {
    object.apiVersion = apiVersionOf(definition);
    object.kind = definition.kind;
  }
  const refuse = (why: string) => unacceptable(read.shown(result, old), why);
  requireSameKind(definition, object, refuse);
  if (object.metadata === null || typeof object.metadata !== 'object') object.metadata = {};
  let unknown: readonly string[];
  try {
    ({ unknown } = read.keepsType ? admitConverted(definition, object) : definition.schema.admit(object));
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const why = withoutPreamble(definition, error.message);
    throw refuse(read.keepsType ? inConversion(why, error.cause) : why);
  }
  const problems = validation === 'Ignore' ? [] : [...read.problems, ...unknownFields(unknown)];
  if (validation === 'Strict' && problems.length > 0) {
    throw refuse(`strict decoding error: ${problems.join(', ')}`);
  }
  for (const text of problems) warn(text);
  yield;
  definition.applyDefaults(object);
  return object;
}

/** The fields of a custom object that calls itself of a version that its definition does not have: nothing knows them. */
function withoutType({ origin, typeAt }: ResourceDefinition, object: KubeObject): string[] {
  if (origin !== 'custom' || typeAt?.(object.apiVersion)) return [];
  return Object.keys(object).filter((name) => !['apiVersion', 'kind', 'metadata'].includes(name));
}

function requireSameKind(
  definition: ResourceDefinition,
  object: KubeObject,
  refuse: (why: string) => StatusError,
): void {
  const { apiVersion, kind } = object;
  if (definition.origin === 'built-in' && typeof apiVersion === 'string' && typeof kind === 'string') {
    const problem = unknownKind(apiVersion, kind);
    if (problem !== undefined) throw refuse(problem);
  }
  if (object.kind !== definition.kind) throw wrongKind(definition, object);
  const expected = apiVersionOf(definition);
  if (object.apiVersion === expected) return;
  throw invalid(definition.kind, definition.group, object.metadata?.name ?? '', [
    { type: 'Invalid', field: 'apiVersion', value: object.apiVersion, detail: `must be ${expected}` },
  ]);
}

/** What the decoder found, without the sentence that says what was being decoded. */
function withoutPreamble({ kind, version }: ResourceDefinition, message: string): string {
  const preamble = `${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: `;
  return message.startsWith(preamble) ? message.slice(preamble.length) : message;
}
