import { badRequest, methodNotSupported, notFound } from '@slipway/api-machinery/errors/status-errors';
import { objectTime } from '@slipway/api-machinery/json/write/object-time';
import { hasReason, type KubeObject, type Status } from '@slipway/kube';
import type { Call, Core } from '../core/core.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { copyJson } from '../request/json-copy.js';
import { Query } from '../request/query.js';
import type { ApiAnswer } from '../request/request.js';
import { jsonAnswer } from '../response/answers.js';
import { serve, valuePayload } from '../response/payloads.js';
import { admitBody } from '../write/admission-attributes.js';
import { deleteObject, requirePreconditions } from '../write/delete-object.js';
import { type DeleteOptions, readDeleteOptions } from '../write/delete-options.js';
import { updateObject } from '../write/update-object.js';
import { bodyKind } from './body-kind.js';
import {
  decideEviction,
  grantEviction,
  isBeyondBudgets,
  mayBeginToServe,
  stillProcessed,
} from './eviction-decision.js';
import { readPartBody } from './part-body.js';

/**
 * POST of an `Eviction`: deletes a pod if its disruption budget allows it. A budget that grants one
 * counts down at once, so that evictions sent together cannot all rely on the same count.
 */
export async function evict(core: Core, call: Call): Promise<ApiAnswer> {
  if (call.request.method !== 'POST') throw methodNotSupported(call.definition, call.request.method.toLowerCase());
  const { object } = readPartBody(core, call, evictionKind);
  if (object.metadata.name !== call.name) throw badRequest('name in URL does not match name in Eviction object');
  const options = deletionOf(call, object);
  const admitted = await admitBody(core, call, evictionKind, object, options.dryRun);
  if (!(await removeUseless(core, admitted, options))) await removeGranted(core, admitted, options);
  const done: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  return jsonAnswer(201, valuePayload(done));
}

/** How often a pod that changes meanwhile is looked at anew. */
const attempts = 20;

/** Deletes a pod that no budget is about; false when one may be. */
async function removeUseless(core: Core, call: Call, options: DeleteOptions): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    const pod = podOf(core, call);
    if (!isBeyondBudgets(pod)) return false;
    try {
      await remove(core, call, mayBeginToServe(pod) ? asSeen(options, pod) : options);
      return true;
    } catch (error) {
      const isOurs = options.preconditions.resourceVersion === undefined;
      if (!isOurs || !hasReason(error, 'Conflict') || attempt === attempts) throw error;
    }
  }
}

async function removeGranted(core: Core, call: Call, options: DeleteOptions): Promise<void> {
  const pod = podOf(core, call);
  const found = decideEviction(pod, budgetsOf(core, call));
  if (found.kind === 'budget') await countDown(core, call, found.budget, options.dryRun);
  if (found.kind !== 'unhealthy') return remove(core, call, options);
  try {
    await remove(core, call, asSeen(options, pod));
  } catch (error) {
    const isOurs = options.preconditions.resourceVersion === undefined;
    throw isOurs && hasReason(error, 'Conflict') ? stillProcessed(found.budget) : error;
  }
}

function podOf(core: Core, call: Call): KubeObject {
  const entry = core.store.latest(call.definition.storedAs, call.namespace, call.name);
  if (!entry) throw notFound(call.definition, call.name);
  return serve(call.definition, entry).object;
}

function budgetDefinition(core: Core): ResourceDefinition | undefined {
  return core.definitions.find('policy', 'v1', 'poddisruptionbudgets');
}

function budgetsOf(core: Core, { namespace }: Call): readonly KubeObject[] {
  const definition = budgetDefinition(core);
  return definition ? core.store.list(definition.storedAs, { namespace }).entries.map(({ object }) => object) : [];
}

/** @throws StatusError TooManyRequests when the budget does not allow it. */
async function countDown(core: Core, call: Call, name: string, dryRun: boolean): Promise<void> {
  const definition = budgetDefinition(core);
  if (!definition) return;
  const budgetCall: Call = { ...call, definition, name, subresource: 'status' };
  await updateObject(core, budgetCall, {
    make: (budget) => ({ ...copyJson(budget), status: grantEviction(copyJson(budget), call.name, core.clock.now()) }),
    dryRun,
    mayOmitVersion: true,
    uidIsPrecondition: true,
  });
}

/** Marks the pod as meant to be disrupted, so that its owner knows that it did not fail, and deletes it. */
async function remove(core: Core, call: Call, options: DeleteOptions): Promise<void> {
  if (options.dryRun) {
    await deleteObject(core, call, options);
    return;
  }
  const marked = await updateObject(
    core,
    { ...call, subresource: 'status' },
    {
      make: (pod) => {
        requirePreconditions(call, pod, options);
        return withTarget(core, pod);
      },
      dryRun: false,
      mayOmitVersion: true,
      uidIsPrecondition: true,
    },
  );
  const isVersionMeant = options.preconditions.resourceVersion !== undefined;
  await deleteObject(core, call, isVersionMeant ? whileUnchanged(options, marked.object) : options);
}

function withTarget(core: Core, pod: KubeObject): KubeObject {
  const object = copyJson(pod);
  const conditions: readonly { type: string; status: string }[] = object.status?.conditions ?? [];
  const before = conditions.find(({ type }) => type === 'DisruptionTarget');
  if (before?.status === 'True') return object;
  const target = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: objectTime(core.clock.now()),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  object.status = { ...object.status, conditions: [...conditions.filter((each) => each !== before), target] };
  return object;
}

/** Deletes the pod only as it was looked at here, unless the request names a version itself. */
function asSeen(options: DeleteOptions, pod: KubeObject): DeleteOptions {
  return options.preconditions.resourceVersion === undefined ? whileUnchanged(options, pod) : options;
}

function whileUnchanged(options: DeleteOptions, { metadata: { resourceVersion = '' } }: KubeObject): DeleteOptions {
  return { ...options, preconditions: { ...options.preconditions, resourceVersion } };
}

/** The options of the deletion in the body; a dry run may be asked for there or in the URL. */
function deletionOf(call: Call, { deleteOptions = {} }: KubeObject): DeleteOptions {
  const inQuery = call.query.all('dryRun').filter((value) => value !== '');
  const inBody: readonly string[] = deleteOptions.dryRun ?? [];
  if (inQuery.length > 0 && inBody.length > 0 && inQuery.join(' ') !== inBody.join(' ')) {
    throw badRequest(
      `Non-matching dry-run options in request and content: [${inQuery.join(' ')}] and [${inBody.join(' ')}]`,
    );
  }
  const value = { ...deleteOptions, dryRun: inBody.length > 0 ? inBody : inQuery };
  return readDeleteOptions(new Query(''), { value }, 'application/json');
}

const evictionKind = bodyKind('policy', 'v1', 'Eviction', 'policy.v1.Eviction', ['policy/v1beta1']);
