import type { RemoteResource } from '../aggregation/remote-groups.js';
import type { RemoteVersion } from '../aggregation/remote-version.js';

/** A version that another server answers for, and what it has: undefined before that server has answered. */
export interface DescribedVersion extends RemoteVersion {
  readonly resources: readonly RemoteResource[] | undefined;
}

/** The entry of such a version in `APIGroupDiscoveryList`: stale, and without resources, while its server does not answer. */
export function describeRemote({ version, isAvailable, resources }: DescribedVersion) {
  if (!isAvailable || !resources) return { version, freshness: 'Stale' };
  const described = resources
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => describe(resource, resources));
  return { version, resources: described, freshness: 'Current' };
}

function describe(resource: RemoteResource, all: readonly RemoteResource[]) {
  const { name, namespaced, singularName = '', verbs, shortNames, categories } = resource;
  const parts = all.filter((part) => part.name.startsWith(`${name}/`));
  return {
    resource: name,
    responseKind: kindOf(resource),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singularName,
    verbs,
    ...(shortNames && { shortNames }),
    ...(categories && { categories }),
    ...(parts.length > 0 && {
      subresources: parts.map((part) => ({
        subresource: part.name.slice(name.length + 1),
        responseKind: kindOf(part),
        verbs: part.verbs,
      })),
    }),
  };
}

/** Group and version are empty where they are those of the list. */
function kindOf({ group = '', version = '', kind }: RemoteResource) {
  return { group, version, kind };
}
