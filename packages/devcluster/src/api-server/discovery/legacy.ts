import { createHash } from 'node:crypto';
import { apiVersionOf } from '@slipway/kube';
import type { ResourceDefinition } from '../../registry/resource-definition.js';
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
export function apiGroupList(definitions: readonly ResourceDefinition[]) {
  const groups = groupsOf(definitions).filter(({ group }) => group !== '');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map((group) => ({ ...describeGroup(group) })) };
}

/** `/apis/GROUP`; undefined when it is not served. */
export function apiGroup(definitions: readonly ResourceDefinition[], name: string) {
  const group = groupsOf(definitions).find((each) => each.group === name);
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
    resources: served.flatMap(apiResourcesOf).map(describe),
  };
}

function describeGroup({ group, versions }: ReturnType<typeof groupsOf>[number]) {
  const named = versions.map(({ groupVersion, version }) => ({ groupVersion, version }));
  return { name: group, versions: named, preferredVersion: named[0] };
}

function describe({ plural, subresource, definition, kind, verbs }: ApiResource) {
  const foreign = kind.group !== definition.group || kind.version !== definition.version;
  const { singular, namespaced, shortNames, categories } = definition;
  const own = subresource === '';
  return {
    name: own ? plural : `${plural}/${subresource}`,
    singularName: own ? singular : '',
    namespaced,
    ...(foreign ? { group: kind.group, version: kind.version } : {}),
    kind: kind.kind,
    verbs,
    ...(own && shortNames.length > 0 ? { shortNames } : {}),
    ...(own && categories.length > 0 ? { categories } : {}),
    ...(own && definition.storedAs !== '' ? { storageVersionHash: storageVersionHash(definition) } : {}),
  };
}

/** Changes when objects are stored in another version; no more is promised of it. */
function storageVersionHash({ group, version, kind }: ResourceDefinition): string {
  const bytes = createHash('sha256').update(`${group}/${version}/${kind}`).digest();
  return bytes.subarray(0, 8).toString('base64');
}
