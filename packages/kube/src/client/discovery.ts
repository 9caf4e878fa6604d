import type { ResourceRef } from '../transport/objects.js';
import { bodyOf } from '../transport/responses.js';
import type { Transport } from '../transport/transport.js';

/** A resource as the server announces it. */
export interface DiscoveredResource extends ResourceRef {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

/** What a server has, as it was when asked. Groups and versions are in the server's order of preference. */
export interface Discovery {
  readonly resources: readonly DiscoveredResource[];
  /**
   * A resource by kind (`{ group: 'apps', kind: 'Deployment' }`, any version unless one is named) or by what a
   * person types: `deployments`, `deployment.apps`, `deployments.v1.apps`, `deploy`.
   */
  find(what: string | { group: string; version?: string; kind: string }): DiscoveredResource | undefined;
}

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

/** Reads the aggregated documents, or one document per version from servers that do not have those. */
export async function discover(transport: Transport, signal?: AbortSignal): Promise<Discovery> {
  const get = async (path: string) =>
    bodyOf(await transport.request({ method: 'GET', path, headers: { accept: aggregated }, signal }));
  const [core, groups] = await Promise.all([get('/api'), get('/apis')]);
  const resources = [...(await resourcesOf(core, get)), ...(await resourcesOf(groups, get))];
  return { resources, find: (what) => find(resources, what) };
}

type Get = (path: string) => Promise<unknown>;

async function resourcesOf(document: unknown, get: Get): Promise<DiscoveredResource[]> {
  const body = document as { kind?: string; items?: GroupItem[]; versions?: string[]; groups?: LegacyGroup[] };
  if (body.kind === 'APIGroupDiscoveryList') return (body.items ?? []).flatMap(fromAggregated);
  const versions =
    body.kind === 'APIVersions'
      ? (body.versions ?? []).map((version) => ({ group: '', version, path: `/api/${version}` }))
      : (body.groups ?? []).flatMap(({ name, versions }) =>
          versions.map(({ version }) => ({ group: name, version, path: `/apis/${name}/${version}` })),
        );
  const lists = await Promise.all(
    versions.map(async (at) => fromLegacy(at.group, at.version, (await get(at.path)) as LegacyList)),
  );
  return lists.flat();
}

interface GroupItem {
  readonly metadata: { readonly name?: string };
  readonly versions?: readonly { readonly version: string; readonly resources?: readonly AggregatedResource[] }[];
}

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: { readonly kind: string };
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

function fromAggregated({ metadata, versions = [] }: GroupItem): DiscoveredResource[] {
  return versions.flatMap(({ version, resources = [] }) =>
    resources.map((resource) => ({
      group: metadata.name ?? '',
      version,
      kind: resource.responseKind?.kind ?? '',
      plural: resource.resource,
      namespaced: resource.scope === 'Namespaced',
      singular: resource.singularResource ?? '',
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
      verbs: resource.verbs,
      subresources: (resource.subresources ?? []).map(({ subresource }) => subresource),
    })),
  );
}

interface LegacyGroup {
  readonly name: string;
  readonly versions: readonly { readonly version: string }[];
}

interface LegacyList {
  readonly resources?: readonly {
    readonly name: string;
    readonly singularName: string;
    readonly namespaced: boolean;
    readonly kind: string;
    readonly verbs: readonly string[];
    readonly shortNames?: readonly string[];
    readonly categories?: readonly string[];
  }[];
}

function fromLegacy(group: string, version: string, { resources = [] }: LegacyList): DiscoveredResource[] {
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => ({
      group,
      version,
      kind: resource.kind,
      plural: resource.name,
      namespaced: resource.namespaced,
      singular: resource.singularName,
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
      verbs: resource.verbs,
      subresources: resources
        .filter(({ name }) => name.startsWith(`${resource.name}/`))
        .map(({ name }) => name.slice(resource.name.length + 1)),
    }));
}

function find(
  resources: readonly DiscoveredResource[],
  what: string | { group: string; version?: string; kind: string },
): DiscoveredResource | undefined {
  if (typeof what !== 'string') {
    return resources.find(
      ({ group, version, kind }) =>
        group === what.group && kind === what.kind && (what.version === undefined || version === what.version),
    );
  }
  const [name = '', ...rest] = what.split('.');
  const asked = name.toLowerCase();
  const scope = rest.join('.');
  const inScope = resources.filter(
    ({ group, version }) => scope === '' || scope === group || scope === (group ? `${version}.${group}` : version),
  );
  return (
    inScope.find(({ plural }) => plural === asked) ??
    inScope.find(({ singular, kind }) => (singular || kind.toLowerCase()) === asked) ??
    inScope.find(({ shortNames }) => shortNames.includes(asked))
  );
}
