import { posix } from 'node:path';
import type { WebhookClient } from '@slipway/kube-objects/rules/webhook-client';

/** A host and a port to connect to. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** A POST of JSON to a webhook. */
export interface WebhookPost {
  /** As messages have it. */
  readonly address: string;
  /** Where to connect to, when that is not what the address says. */
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
export type FindService = (service: NonNullable<WebhookClient['service']>) => Endpoint;

export interface WebhookDeps {
  readonly post: PostToWebhook;
  readonly find: FindService;
  readonly newUid: () => string;
}

/**
 * Sends a review to a webhook and returns the JSON of its answer.
 * @throws Error with the reason, as Kubernetes words it
 */
export async function askWebhook(
  client: WebhookClient,
  body: string,
  timeoutSeconds: number,
  { post, find }: Pick<WebhookDeps, 'post' | 'find'>,
): Promise<unknown> {
  const address = `${addressOf(client)}?timeout=${timeoutSeconds}s`;
  const ca = client.caBundle ? Buffer.from(client.caBundle, 'base64').toString() : undefined;
  const endpoint = client.service && endpointOf(client.service, address, find);
  return await post({ address, endpoint, ...(ca && { ca }), body, timeoutMs: timeoutSeconds * 1000 });
}

function endpointOf(service: NonNullable<WebhookClient['service']>, address: string, find: FindService): Endpoint {
  try {
    return find(service);
  } catch (cause) {
    throw new Error(`Post ${JSON.stringify(address)}: ${(cause as Error).message}`, { cause });
  }
}

/** The address of a webhook, as messages have it. Kubernetes writes a path without `//`, `..`, and a `/` at its end. */
function addressOf({ url, service }: WebhookClient): string {
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
