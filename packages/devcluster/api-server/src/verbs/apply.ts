import { badRequest, conflict, notFound } from '@slipway/api-machinery/errors/status-errors';
import { runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { hasReason, type KubeObject } from '@slipway/kube';
import type { Call, Core } from '../core/core.js';
import { objectAnswer } from '../core/represent.js';
import { accessForbidden } from '../request/forbidden.js';
import type { ApiAnswer } from '../request/request.js';
import { readApplyOptions } from '../request/write-options.js';
import { configurationIn, readDocument, requireConfiguration } from '../write/apply-body.js';
import { type Apply, applyToObject } from '../write/apply-object.js';
import { createObject, servedOf } from '../write/create-object.js';
import { objectWarnings } from '../write/object-warnings.js';
import type { Owners } from '../write/owners.js';
import { paceOf } from '../write/pace.js';
import { updateObject } from '../write/update-object.js';
import { matchName, matchNamespace } from '../write/write-guards.js';

/** PATCH with a configuration: server-side apply of an object, which may not be there yet, or of its status. */
export async function apply(core: Core, call: Call): Promise<ApiAnswer> {
  const options = readApplyOptions(call.query);
  const document = readDocument(call.request.body, core.version);
  if (call.subresource !== '' && !core.store.latest(call.definition.storedAs, call.namespace, call.name)) {
    throw notFound(call.definition, call.name);
  }
  const read = configurationIn(document, core.version);
  requireConfiguration(call.definition, read);
  const { config, problems } = read;
  const { dryRun, fieldManager, fieldValidation, force } = options;
  const wanted: Apply = { config, fieldManager, force };
  const untold = fieldValidation === 'Warn' ? [...problems] : [];
  const tellProblems = () => {
    if (fieldValidation === 'Strict' && problems.length > 0) {
      const what = minorOf(core.version) < 37 ? 'YAML' : 'patch';
      throw badRequest(`error strict decoding ${what}: ${problems.join('\n')}`);
    }
    for (const text of untold.splice(0)) call.warn(text);
  };

  const { definition, namespace, name, subresource } = call;
  const isThere = () => core.store.latest(definition.storedAs, namespace, name) !== undefined;
  const applyToNothing = async () => {
    const applying = paceOf(call).finish(applyToObject(core, call, undefined, wanted));
    const { object, owners } = applying instanceof Promise ? await applying : applying;
    tellProblems();
    requireNew(call, object);
    requireCreate(core, call);
    const created = await createObject(core, call, object, { dryRun, owners: () => owners });
    const served = servedOf(definition, created);
    return objectAnswer(core, call, 201, served, runToCompletion(objectWarnings(call, object)));
  };
  if (subresource === '' && !isThere()) {
    try {
      return await applyToNothing();
    } catch (error) {
      // Another client created it meanwhile: apply to that object.
      if (!hasReason(error, 'AlreadyExists') || !isThere()) throw error;
    }
  }

  let warnings: readonly string[] = [];
  let owners: Owners;
  const applied = function* (old: KubeObject) {
    const made = yield* applyToObject(core, call, old, wanted);
    tellProblems();
    ({ owners } = made);
    matchNamespace(call, made.object);
    matchName(call, made.object);
    warnings = yield* objectWarnings(call, made.object, old);
    return made.object;
  };
  const served = await updateObject(core, call, {
    make: (old, pace) => pace.finish(applied(old)),
    owners: () => owners,
    dryRun,
    mayOmitVersion: false,
    uidIsPrecondition: false,
  });
  return objectAnswer(core, call, 200, served, warnings);
}

/** The request was authorized as another verb. @throws StatusError Forbidden when the caller may not create the object */
export function requireCreate({ authorizer }: Core, { request: { user }, definition, namespace, name }: Call): void {
  const { group, version, plural: resource } = definition;
  const access = {
    kind: 'resource',
    verb: 'create',
    group,
    version,
    resource,
    subresource: '',
    namespace,
    name,
  } as const;
  const { allowed, reason } = authorizer.authorize(user, access);
  if (!allowed) throw accessForbidden(user, access, reason);
}

function requireNew(call: Call, object: KubeObject): void {
  const { uid } = object.metadata;
  if (uid) {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(call.definition, call.name, why);
  }
  matchNamespace(call, object);
  matchName(call, object);
}
