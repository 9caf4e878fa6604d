import type { ResourceDefinition } from '../registry/resource-definition.js';
import { type ApiResource, apiResourcesOf, groupsOf } from './api-resources.js';
import { type DescribedVersion, describeRemote } from './remote.js';

/**
 * `APIGroupDiscoveryList`: every group, version, resource and subresource in one
 * document. `/api` has the core group, `/apis` the others.
 */
export function aggregatedDiscovery(
  definitions: readonly ResourceDefinition[],
  remotes: readonly DescribedVersion[],
  root: 'api' | 'apis',
  version: string,
) {
  const groups = groupsOf(definitions, remotes).filter(({ group }) => (group === '') === (root === 'api'));
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ group, versions }) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map((each) => {
        const remote = remotes.find((one) => one.group === group && one.version === each.version);
        if (remote) return describeRemote(remote);
        const resources = [...each.resources].sort((a, b) => (a.plural < b.plural ? -1 : 1)).map(describe);
        return { version: each.version, resources, freshness: 'Current' };
      }),
    })),
  };
}

function describe(definition: ResourceDefinition) {
  const { plural, singular, namespaced, shortNames, categories } = definition;
  const [own, ...parts] = apiResourcesOf(definition);
  /** Built-in kinds name the group and the version of a kind only where it is of another one. */
  const kindOf = ({ group, version, kind }: ApiResource['kind']) => {
    const isOwn = definition.origin === 'built-in' && group === definition.group && version === definition.version;
    return isOwn ? { group: '', version: '', kind } : { group, version, kind };
  };
  return {
    resource: plural,
    responseKind: own && kindOf(own.kind),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: own?.verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(parts.length > 0
      ? {
          subresources: parts.map(({ subresource, kind, verbs }) => ({
            subresource,
            responseKind: kindOf(kind),
            verbs,
          })),
        }
      : {}),
  };
}
