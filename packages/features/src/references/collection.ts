import {
  type DiscoveredResource,
  type Discovery,
  isExpired,
  type Kube,
  type KubeObject,
  StatusError,
} from '@slipway/kube';

/** One page of all objects of a resource, and where the next one begins. */
export interface Page {
  readonly items: readonly KubeObject[];
  readonly continue?: string;
  /** The list had grown too old: this page is of a newer one, and something may have been missed before it. */
  readonly restarted: boolean;
  /** How many objects come after this page, if the server says so. */
  readonly remaining?: number;
}

/** The resource a definition names, in the version the server prefers. Undefined when the server has no such resource. */
export function resourceNamed(
  discovery: Discovery,
  { group, resource }: { readonly group: string; readonly resource: string },
): DiscoveredResource | undefined {
  return discovery.resources.find((known) => known.group === group && known.plural === resource);
}

/**
 * The resource a definition names, as far as its objects may be in reach: only namespaced ones when a definition
 * reaches a single namespace. A list of others would be one of the whole cluster.
 */
export function resourceInReach(
  discovery: Discovery,
  named: { readonly group: string; readonly resource: string },
  namespace: string | undefined,
): DiscoveredResource | undefined {
  const resource = resourceNamed(discovery, named);
  return namespace === undefined || resource?.namespaced ? resource : undefined;
}

/** The resource that a manifest is of. Undefined when the server has no such kind. */
export function resourceOf(discovery: Discovery, { apiVersion, kind }: KubeObject): DiscoveredResource | undefined {
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return discovery.find({ group, version, kind });
}

/**
 * Reads a page, of all namespaces unless one is named. A token that has expired is exchanged for the one the server
 * offers instead, or given up for a new list from the start.
 */
export async function readPage(
  kube: Kube,
  resource: DiscoveredResource,
  limit: number,
  token: string | undefined,
  signal: AbortSignal,
  namespace: string | undefined,
): Promise<Page> {
  const read = async (next: string | undefined, restarted: boolean): Promise<Page> => {
    const page = await kube
      .resource(resource)
      .list({ limit, namespace, ...(next !== undefined && { continue: next }), signal });
    return {
      items: page.items,
      restarted,
      ...(page.continue !== undefined && { continue: page.continue }),
      ...(page.remaining !== undefined && { remaining: page.remaining }),
    };
  };
  try {
    return await read(token, false);
  } catch (error) {
    if (token === undefined || !isExpired(error)) throw error;
    const offered = error instanceof StatusError ? error.status.metadata.continue : undefined;
    return read(typeof offered === 'string' && offered !== '' ? offered : undefined, true);
  }
}
