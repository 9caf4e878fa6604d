import { conflict } from '@slipway/api-machinery/errors/status-errors';
import { type Resumable, runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { hasReason, type KubeObject } from '@slipway/kube';
import type { Call, Core } from '../core/core.js';
import { objectAnswer } from '../core/represent.js';
import type { ApiAnswer } from '../request/request.js';
import { parseWrittenVersion } from '../request/resource-version.js';
import { readWriteOptions, type WriteOptions } from '../request/write-options.js';
import { type DecodedObject, decodingObject, requireOwnKind } from '../write/body.js';
import { createObject, servedOf } from '../write/create-object.js';
import { objectWarnings } from '../write/object-warnings.js';
import { ownersOfChanged, ownersOfNew } from '../write/owners.js';
import { paceOf } from '../write/pace.js';
import { removeRepeatedOwners } from '../write/repeated-owners.js';
import { otherUid } from '../write/storage-key.js';
import { updateObject } from '../write/update-object.js';
import { matchName, matchNamespace } from '../write/write-guards.js';
import { requireCreate } from './apply.js';

/** PUT of an object, or of its status. */
export async function update(core: Core, call: Call): Promise<ApiAnswer> {
  const options = readWriteOptions(call.query, 'UpdateOptions');
  const { body, headers } = call.request;
  const read = function* (): Resumable<DecodedObject> {
    const decoded = yield* decodingObject(call.definition, body, headers['content-type'], options.fieldValidation);
    for (const text of decoded.warnings) call.warn(text);
    matchNamespace(call, decoded.object);
    matchName(call, decoded.object);
    removeRepeatedOwners(call, decoded.object, 'as sent');
    return decoded;
  };
  const { definition, namespace, name } = call;
  const pace = paceOf(call, core.store.latest(definition.storedAs, namespace, name));
  const resting = pace.rest();
  if (resting) await resting;
  const reading = pace.finish(read());
  let next: DecodedObject | undefined = reading instanceof Promise ? await reading : reading;
  const isThere = () => core.store.latest(definition.storedAs, namespace, name) !== undefined;
  if (definition.createdByPut && call.subresource === '' && !isThere()) {
    try {
      return await createInstead(core, call, next.object, options);
    } catch (error) {
      // Another client created it meanwhile: replace that object.
      if (!hasReason(error, 'AlreadyExists') || !isThere()) throw error;
      next = undefined;
    }
  }
  let warnings: readonly string[] = [];
  const made = function* (old: KubeObject) {
    const decoded = next ?? (yield* read());
    next = undefined;
    requireOwnKind(definition, decoded.object);
    warnings = yield* objectWarnings(call, decoded.object, old);
    return decoded.object;
  };
  const served = await updateObject(core, call, {
    make: (old, { finish }) => finish(made(old)),
    owners: (object, old, { finish }) => finish(ownersOfChanged(core, call, object, old, options.fieldManager)),
    dryRun: options.dryRun,
    mayOmitVersion: false,
    uidIsPrecondition: true,
  });
  return objectAnswer(core, call, 200, served, warnings);
}

/** A PUT creates what is not there, for some kinds. */
async function createInstead(core: Core, call: Call, object: KubeObject, options: WriteOptions): Promise<ApiAnswer> {
  const { uid } = object.metadata;
  if (uid) throw conflict(call.definition, call.name, otherUid(core, call, uid, '', options.dryRun));
  requireCreate(core, call);
  parseWrittenVersion(object.metadata.resourceVersion);
  delete object.metadata.resourceVersion;
  const created = await createObject(core, call, object, {
    dryRun: options.dryRun,
    owners: (made, { finish }) => finish(ownersOfNew(core, call, made, options.fieldManager)),
  });
  const served = servedOf(call.definition, created);
  return objectAnswer(core, call, 201, served, runToCompletion(objectWarnings(call, object)));
}
