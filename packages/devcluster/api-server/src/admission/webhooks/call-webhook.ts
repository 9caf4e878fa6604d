import { badRequest, statusError } from '@slipway/api-machinery/errors/status-errors';
import { errorMessage, type StatusError, stringifyJson } from '@slipway/kube';
import type { Attributes } from '../../attributes/admission.js';
import type { ResourceDefinition } from '../../registry/resource-definition.js';
import { askWebhook, type WebhookDeps } from '../../webhooks/ask-webhook.js';
import { InvalidReviewError, readReview, reviewOf, type WebhookResponse } from './admission-review.js';
import type { Webhook } from './webhook.js';

/** A webhook could not be asked. Whether that is a refusal depends on its failure policy. */
export class WebhookCallError extends Error {
  override readonly name = 'WebhookCallError';
}

/**
 * Asks a webhook about a request.
 * @throws WebhookCallError when there is no answer
 * @throws StatusError when it cannot be asked about a dry run
 */
export async function callWebhook(
  webhook: Webhook,
  request: Attributes,
  matched: ResourceDefinition,
  isMutating: boolean,
  deps: WebhookDeps,
): Promise<WebhookResponse> {
  const { name, sideEffects, timeoutSeconds = 10, clientConfig, admissionReviewVersions = [] } = webhook.spec;
  if (request.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun') {
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
  }
  const uid = deps.newUid();
  const failed = (what: string, error: unknown) => {
    const why = errorMessage(error);
    return new WebhookCallError(`failed calling webhook ${JSON.stringify(name)}: ${what}: ${why}`, { cause: error });
  };
  let review: ReturnType<typeof reviewOf>;
  try {
    review = reviewOf(request, matched, admissionReviewVersions, uid);
  } catch (error) {
    throw error instanceof InvalidReviewError ? failed('could not create admission objects', error) : error;
  }
  let answer: unknown;
  try {
    answer = await askWebhook(clientConfig, stringifyJson(review.body), timeoutSeconds, deps);
  } catch (error) {
    throw failed('failed to call webhook', error);
  }
  try {
    const response = readReview(answer, { version: review.version, uid, isMutating });
    for (const warning of response.warnings) request.warn(warning);
    return response;
  } catch (error) {
    throw error instanceof InvalidReviewError ? failed('received invalid webhook response', error) : error;
  }
}

/** 500 for a webhook that had to be asked and could not. */
export function internalError(message: string): StatusError {
  return statusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}
