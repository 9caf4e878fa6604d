import { posix } from 'node:path';
import { badRequest, statusError } from '@slipway/api-machinery/errors/status-errors';
import { errorMessage, type StatusError, stringifyJson } from '@slipway/kube';
import type { Attributes } from '../../attributes/admission.js';
import type { ResourceDefinition } from '../../registry/resource-definition.js';
import { InvalidReviewError, readReview, reviewOf, type WebhookResponse } from './admission-review.js';
import type { ClientConfig, Webhook } from './webhook.js';

/** A host and a port to connect to. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** A POST of JSON to a webhook. */
export interface WebhookPost {
  readonly url: URL;
  /** Where to connect to, when that is not what the URL says. */
  readonly endpoint?: Endpoint | undefined;
  /** Certificates that the server is believed by, in PEM. */
  readonly ca?: string;
  readonly body: string;
  readonly timeoutMs: number;
}

/**
 * Sends a question to a webhook and gives back the JSON of its answer.
 * @throws Error with the reason, as Go's HTTP client words it
 */
export type PostToWebhook = (post: WebhookPost) => Promise<unknown>;

/** Resolves a service of the cluster to an address. @throws Error when it has none */
export type FindService = (service: NonNullable<ClientConfig['service']>) => Endpoint;

export interface WebhookDeps {
  readonly post: PostToWebhook;
  readonly find: FindService;
  readonly newUid: () => string;
}

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
  const address = `${addressOf(clientConfig)}?timeout=${timeoutSeconds}s`;
  let answer: unknown;
  try {
    const endpoint = clientConfig.service && deps.find(clientConfig.service);
    const ca = clientConfig.caBundle ? Buffer.from(clientConfig.caBundle, 'base64').toString() : undefined;
    const body = stringifyJson(review.body);
    const timeoutMs = timeoutSeconds * 1000;
    answer = await deps.post({ url: new URL(address), endpoint, ...(ca && { ca }), body, timeoutMs });
  } catch (error) {
    throw failed(`failed to call webhook: Post ${JSON.stringify(address)}`, error);
  }
  try {
    const response = readReview(answer, { version: review.version, uid, isMutating });
    for (const warning of response.warnings) request.warn(warning);
    return response;
  } catch (error) {
    throw error instanceof InvalidReviewError ? failed('received invalid webhook response', error) : error;
  }
}

/** The address of a webhook, as messages have it. Kubernetes writes a path without `//`, `..`, and a `/` at its end. */
function addressOf({ url, service }: ClientConfig): string {
  if (!service) {
    const { protocol, host, pathname } = new URL(url ?? '');
    return `${protocol}//${host}${cleanPath(pathname)}`;
  }
  const { namespace, name, port = 443, path = '' } = service;
  return `https://${name}.${namespace}.svc:${port}${cleanPath(path)}`;
}

function cleanPath(path: string): string {
  const joined = posix.join('/', path);
  return joined.length > 1 && joined.endsWith('/') ? joined.slice(0, -1) : joined;
}

/** 500 for a webhook that had to be asked and could not. */
export function internalError(message: string): StatusError {
  return statusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}
