import { createHash } from 'node:crypto';
import { apiVersionOf } from '@slipway/kube';
import type { RemoteVersion } from '../aggregation/remote-version.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { type ApiResource, apiResourcesOf, groupsOf } from './api-resources.js';

/** `/api`: the versions of the core group. */
export function apiVersions(definitions: readonly ResourceDefinition[], serverAddress: string) {
  const core = groupsOf(definitions).find(({ group }) => group === '');
  return {
    kind: 'APIVersions',
    versions: core?.versions.map(({ version }) => version) ?? [],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** `/apis`: every group but core, with its versions. */
export function apiGroupList(definitions: readonly ResourceDefinition[], remotes: readonly RemoteVersion[] = []) {
  const groups = groupsOf(definitions, remotes).filter(({ group }) => group !== '');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(describeGroup) };
}

/** The same of a server without the aggregator, which tells with each group the port it is at. */
export function ownGroupList(definitions: readonly ResourceDefinition[], host: string) {
  const serverAddress = host.slice(host.lastIndexOf(':'));
  const { kind, groups } = apiGroupList(definitions);
  const serverAddressByClientCIDRs = [{ clientCIDR: '0.0.0.0/0', serverAddress }];
  return { kind, groups: groups.map((group) => ({ ...group, serverAddressByClientCIDRs })) };
}

/** `/apis/GROUP`; undefined when it is not served. */
export function apiGroup(definitions: readonly ResourceDefinition[], remotes: readonly RemoteVersion[], name: string) {
  const group = groupsOf(definitions, remotes).find((each) => each.group === name);
  return group && { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(group) };
}

/** `/apis/GROUP/VERSION` or `/api/v1`; undefined when it is not served. */
export function apiResourceList(definitions: readonly ResourceDefinition[], group: string, version: string) {
  const served = definitions.filter((definition) => definition.group === group && definition.version === version);
  if (served.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group, version }),
    resources: inOrder(served.flatMap(apiResourcesOf)).map((resource) => describe(resource, definitions)),
  };
}

function describeGroup({ group, versions }: ReturnType<typeof groupsOf>[number]) {
  const named = versions.map(({ groupVersion, version }) => ({ groupVersion, version }));
  return { name: group, versions: named, preferredVersion: named[0] };
}

/** Built-in resources come in the order of their paths. */
function inOrder(resources: readonly ApiResource[]): readonly ApiResource[] {
  if (resources.some(({ definition }) => definition.origin === 'custom')) return resources;
  return [...resources].sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1));
}

function pathOf({ plural, subresource }: ApiResource): string {
  return subresource === '' ? plural : `${plural}/${subresource}`;
}

function describe(resource: ApiResource, definitions: readonly ResourceDefinition[]) {
  const { subresource, definition, kind, verbs } = resource;
  const foreign = kind.group !== definition.group || kind.version !== definition.version;
  const { singular, namespaced, shortNames, categories } = definition;
  const own = subresource === '';
  return {
    name: pathOf(resource),
    singularName: own ? singular : '',
    namespaced,
    ...(foreign ? { group: kind.group, version: kind.version } : {}),
    kind: kind.kind,
    verbs,
    ...(own && shortNames.length > 0 ? { shortNames } : {}),
    ...(own && categories.length > 0 ? { categories } : {}),
    ...(own && isStored(definition) ? { storageVersionHash: storageVersionHash(definition, definitions) } : {}),
  };
}

/** Questions and what is worked out for each request are not. */
function isStored({ storedAs, answer }: ResourceDefinition): boolean {
  return storedAs !== '' && answer === undefined;
}

/** Changes when objects are stored in another version; no more is promised of it. Kubernetes has the one of definitions from before 1.16. */
function storageVersionHash(served: ResourceDefinition, definitions: readonly ResourceDefinition[]): string {
  const stored = definitions.find(({ storedAs, view }) => storedAs === served.storedAs && view === undefined);
  const { group, version, kind, storageVersion = version } = stored ?? served;
  const hashed = kind === 'CustomResourceDefinition' ? 'v1beta1' : storageVersion;
  const bytes = createHash('sha256').update(`${group}/${hashed}/${kind}`).digest();
  return bytes.subarray(0, 8).toString('base64');
}
