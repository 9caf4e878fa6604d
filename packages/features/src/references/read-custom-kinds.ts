import { failureStatus, type Kube, StatusError } from '@slipway/kube';
import { type CustomTypes, customTypes, type OpenApiSchema } from './custom-types.js';
import { kubernetesTypes } from './embedding.js';
import type { CustomKind } from './uncovered-kinds.js';

interface GroupVersion {
  readonly group: string;
  readonly version: string;
  readonly url: string;
}

/** The kinds of one document of OpenAPI, by name. */
type DocumentKinds = ReadonlyMap<string, CustomTypes>;

const kubernetesGroups = new Set(Object.keys(kubernetesTypes.kinds).map((kind) => kind.slice(kind.indexOf('.') + 1)));

/**
 * Reads from the OpenAPI v3 documents of a cluster which types of Kubernetes its custom kinds embed. Every client may read
 * these. A document is read again only when its hash changes.
 */
export class CustomKinds {
  readonly #known = new Map<string, DocumentKinds>();

  /** @throws StatusError, UnreachableError */
  async read(kube: Kube, signal: AbortSignal): Promise<readonly CustomKind[]> {
    const documents = groupVersionsIn(await get(kube, '/openapi/v3', signal));
    const urls = new Set(documents.map(({ url }) => url));
    for (const url of this.#known.keys()) if (!urls.has(url)) this.#known.delete(url);
    if (documents.length === 0) return [];
    const { resources } = await kube.discover(signal);
    const found: CustomKind[] = [];
    for (const { group, version, url } of documents) {
      const kinds = this.#known.get(url) ?? kindsIn(await get(kube, url, signal), group, version);
      this.#known.set(url, kinds);
      for (const resource of resources) {
        const isHere = resource.group === group && resource.version === version && resource.verbs.includes('list');
        const types = isHere ? kinds.get(resource.kind) : undefined;
        if (types) found.push({ group, resource: resource.plural, types });
      }
    }
    return found;
  }
}

/** Servers before 1.27 may have no such documents. */
async function get(kube: Kube, path: string, signal: AbortSignal): Promise<unknown> {
  const { status, body } = await kube.transport.request({ method: 'GET', path, signal });
  if (status >= 200 && status < 300) return body;
  if (status === 404) return undefined;
  const message = `GET ${path.split('?', 1)[0]} answered with HTTP status ${status}`;
  throw new StatusError(failureStatus({ code: status, message }));
}

function groupVersionsIn(index: unknown): readonly GroupVersion[] {
  const { paths = {} } = (index ?? {}) as { readonly paths?: Readonly<Record<string, { serverRelativeURL?: string }>> };
  return Object.entries(paths).flatMap(([path, { serverRelativeURL: url = `/openapi/v3/${path}` }]) => {
    const [, group = '', version = ''] = /^apis\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
    return group === '' || kubernetesGroups.has(group) ? [] : [{ group, version, url }];
  });
}

interface NamedSchema extends OpenApiSchema {
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

function kindsIn(document: unknown, group: string, version: string): DocumentKinds {
  const { components = {} } = (document ?? {}) as {
    readonly components?: { readonly schemas?: Readonly<Record<string, NamedSchema>> };
  };
  const schemas = new Map(Object.entries(components.schemas ?? {}));
  const resolve = (ref: string) => schemas.get(ref.replace('#/components/schemas/', ''));
  const kinds = new Map<string, CustomTypes>();
  for (const schema of schemas.values()) {
    for (const { group: of, version: at, kind } of schema['x-kubernetes-group-version-kind'] ?? []) {
      if (of !== group || at !== version || !schema.properties?.spec) continue;
      kinds.set(kind, customTypes(schema, resolve));
    }
  }
  return kinds;
}
