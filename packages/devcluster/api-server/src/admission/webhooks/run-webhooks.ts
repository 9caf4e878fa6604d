import { forbidden } from '@slipway/api-machinery/errors/status-errors';
import type { Authorizer } from '@slipway/api-machinery/identity/access';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { applyJsonPatch } from '@slipway/api-machinery/patch/json-patch';
import { type KubeObject, parseJson, type StatusError } from '@slipway/kube';
import type { Attributes } from '../../attributes/admission.js';
import { type ConvertBetween, prepareVersions, servedAs, takeOverConverted } from '../../attributes/object-versions.js';
import type { ResourceDefinition } from '../../registry/resource-definition.js';
import type { WebhookDeps } from '../../webhooks/ask-webhook.js';
import { matchedVersion, type Surroundings } from '../matching/match-resources.js';
import type { Reinvocation } from '../matching/reinvocation.js';
import { type Steps, waitFor } from '../matching/steps.js';
import { meetsConditions } from '../policies/match-conditions.js';
import { rejection, type WebhookResponse } from './admission-review.js';
import { callWebhook, internalError, WebhookCallError } from './call-webhook.js';
import type { Webhook } from './webhook.js';
import type { WebhookSource } from './webhook-source.js';

export interface RunWebhooksDeps extends WebhookDeps {
  readonly source: WebhookSource;
  readonly around: Surroundings;
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly between: ConvertBetween;
}

/**
 * Asks every mutating webhook about a request, one after the other, and makes the changes they want.
 * @throws StatusError when one refuses, or has to be asked and cannot
 */
export function* runMutatingWebhooks(request: Attributes, deps: RunWebhooksDeps, round: Reinvocation): Steps {
  for (const webhook of deps.source.about(request)) {
    const matched = yield* versionFor(webhook, request, deps);
    if (!matched || !round.isDue(webhook.id)) continue;
    const response = yield* waitFor(ask(webhook, request, matched, true, deps));
    if (response && (yield* change(webhook, request, matched, response, deps))) round.changed();
    if (webhook.spec.reinvocationPolicy === 'IfNeeded') round.ran(webhook.id);
  }
}

/**
 * Asks all validating webhooks about a request at once.
 * @throws StatusError of the first that refuses, or has to be asked and cannot
 */
export function* runValidatingWebhooks(request: Attributes, deps: RunWebhooksDeps): Steps {
  const asked: (readonly [Webhook, ResourceDefinition])[] = [];
  for (const webhook of deps.source.about(request)) {
    const matched = yield* versionFor(webhook, request, deps);
    if (matched) asked.push([webhook, matched]);
  }
  if (asked.length === 0) return;
  const answers = yield* waitFor(
    Promise.allSettled(asked.map(([webhook, matched]) => ask(webhook, request, matched, false, deps))),
  );
  for (const answer of answers) if (answer.status === 'rejected') throw answer.reason;
}

/** The version by which a webhook is about a request, if it is. */
function* versionFor(
  { match, matchConditions }: Webhook,
  request: Attributes,
  { around, authorizer, between }: RunWebhooksDeps,
): Steps<ResourceDefinition | undefined> {
  const matched = matchedVersion(match, request, around);
  if (!matched) return undefined;
  const preparing = prepareVersions(matched, request, between);
  if (preparing) yield preparing;
  const met = yield* meetsConditions(matchConditions, { request, matched, authorizer });
  if (typeof met === 'object') throw forbidden(request.resource, request.name, met.problem);
  return met ? matched : undefined;
}

/** What a webhook says; undefined when it could not be asked and need not be. */
async function ask(
  webhook: Webhook,
  request: Attributes,
  matched: ResourceDefinition,
  isMutating: boolean,
  deps: WebhookDeps,
): Promise<WebhookResponse | undefined> {
  try {
    const response = await callWebhook(webhook, request, matched, isMutating, deps);
    if (!response.isAllowed) throw rejection(webhook.spec.name, response);
    return response;
  } catch (error) {
    if (!(error instanceof WebhookCallError)) throw error;
    if (webhook.spec.failurePolicy === 'Ignore') return undefined;
    throw internalError(error.message);
  }
}

/** Makes the changes that a webhook wants. @returns whether there were any */
function* change(
  webhook: Webhook,
  request: Attributes,
  matched: ResourceDefinition,
  { patch, patchType }: WebhookResponse,
  { between }: RunWebhooksDeps,
): Steps<boolean> {
  if (patch === undefined) return false;
  const { name } = webhook.spec;
  const failed = (why: string) => internalError(`failed calling webhook ${JSON.stringify(name)}: ${why}`);
  if (patchType !== 'JSONPatch') throw failed(`unsupported patch type ${JSON.stringify(patchType)}`);
  const operations = decodePatch(patch, failed);
  if (operations.length === 0) return false;
  const before = servedAs(matched, request, request.object);
  if (!before) {
    const quoted = JSON.stringify(name);
    throw internalError(
      `admission webhook ${quoted} attempted to modify the object, which is not supported for this operation`,
    );
  }
  let made: KubeObject;
  try {
    made = applyJsonPatch(before, operations) as KubeObject;
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error);
    throw internalError(cause.message);
  }
  if (equalJson(made, before)) return false;
  const taking = takeOverConverted(matched, request, made, between);
  if (taking) yield taking;
  return true;
}

function decodePatch(patch: string, failed: (why: string) => StatusError): readonly unknown[] {
  try {
    const operations: unknown = parseJson(Buffer.from(patch, 'base64').toString());
    if (Array.isArray(operations)) return operations;
    throw new TypeError('it is not a list of operations');
  } catch (error) {
    throw failed(`received undecodable patch in webhook response: ${(error as Error).message}`);
  }
}
