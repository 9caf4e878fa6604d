import { statusError } from '@slipway/api-machinery/errors/status-errors';
import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import type { KubeObject, Status } from '@slipway/kube';
import type { Attributes } from '../../attributes/admission.js';
import { servedAs } from '../../attributes/object-versions.js';
import { reviewRequest } from '../../attributes/review-request.js';
import type { ResourceDefinition } from '../../registry/resource-definition.js';

const group = 'admission.k8s.io';
const kind = 'AdmissionReview';

/** The question to a webhook: `AdmissionReview` in the first of its versions that is known here. */
export function reviewOf(
  request: Attributes,
  matched: ResourceDefinition,
  versions: readonly string[],
  uid: string,
): { readonly version: string; readonly body: KubeObject } {
  const version = versions.find((one) => one === 'v1' || one === 'v1beta1');
  if (version === undefined) {
    throw new InvalidReviewError('webhook does not accept known AdmissionReview versions (v1, v1beta1)');
  }
  const object = servedAs(matched, request, request.object) ?? null;
  const oldObject = servedAs(matched, request, request.old) ?? null;
  const asked = { uid, ...reviewRequest(request, matched), object, oldObject };
  return { version, body: { kind, apiVersion: `${group}/${version}`, request: asked } as unknown as KubeObject };
}

/** The response of a webhook. */
export interface WebhookResponse {
  readonly isAllowed: boolean;
  readonly result: Partial<Status>;
  readonly warnings: readonly string[];
  /** A JSON patch, as the webhook sent it: base64 of JSON. */
  readonly patch?: string;
  readonly patchType?: string;
}

/** The answer of the webhook is not a valid AdmissionReview for the request. */
export class InvalidReviewError extends Error {
  override readonly name = 'InvalidReviewError';
}

/**
 * Reads the answer of a webhook.
 * @throws InvalidReviewError
 */
export function readReview(
  answer: unknown,
  asked: { readonly version: string; readonly uid: string; readonly isMutating: boolean },
): WebhookResponse {
  const review = isJsonObject(answer) ? answer : {};
  const { response } = review;
  if (!isJsonObject(response)) throw new InvalidReviewError('webhook response was absent');
  if (asked.version === 'v1') requireAnswerTo(asked.uid, review, response);
  const patch = typeof response.patch === 'string' && response.patch !== '' ? response.patch : undefined;
  const patchType = typeof response.patchType === 'string' ? response.patchType : undefined;
  const problem = patchProblem(asked, patch, patchType);
  if (problem !== undefined) throw new InvalidReviewError(problem);
  return {
    isAllowed: response.allowed === true,
    result: isJsonObject(response.status) ? (response.status as Partial<Status>) : {},
    warnings: Array.isArray(response.warnings) ? response.warnings.map(String) : [],
    ...(patch !== undefined && { patch, patchType: patchType ?? 'JSONPatch' }),
  };
}

function requireAnswerTo(uid: string, review: Record<string, unknown>, response: Record<string, unknown>): void {
  if (response.uid !== uid) {
    const given = JSON.stringify(typeof response.uid === 'string' ? response.uid : '');
    throw new InvalidReviewError(`expected response.uid=${JSON.stringify(uid)}, got ${given}`);
  }
  const [apiVersion, name] = [String(review.apiVersion ?? ''), String(review.kind ?? '')];
  if (apiVersion === `${group}/v1` && name === kind) return;
  throw new InvalidReviewError(
    `expected webhook response of ${group}/v1, Kind=${kind}, got ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${name}`,
  );
}

function patchProblem(
  { version, isMutating }: { readonly version: string; readonly isMutating: boolean },
  patch: string | undefined,
  patchType: string | undefined,
): string | undefined {
  if (version !== 'v1') return undefined;
  if (!isMutating) {
    if (patch !== undefined) return 'validating webhook may not return response.patch';
    return patchType === undefined ? undefined : 'validating webhook may not return response.patchType';
  }
  if (patch !== undefined && patchType === undefined)
    return 'webhook returned response.patch but not response.patchType';
  if (patch === undefined && patchType !== undefined)
    return 'webhook returned response.patchType but not response.patch';
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

/** The refusal of a webhook, in its own words and with its own code. */
export function rejection(webhook: string, { result }: WebhookResponse) {
  const by = `admission webhook ${JSON.stringify(webhook)} denied the request`;
  const { message, reason, code = 400, details } = result;
  const text = message ? `${by}: ${message}` : reason ? `${by}: ${reason}` : `${by} without explanation`;
  return statusError(code < 400 ? 400 : code, reason, text, details);
}
