import { apiVersionOf } from '@slipway/kube';
import type { ResourceDefinition, Verb } from '../../registry/resource-definition.js';

/** One entry of discovery: a resource, or a subresource of one. */
export interface ApiResource {
  readonly plural: string;
  /** '' for the resource itself. */
  readonly subresource: string;
  readonly definition: ResourceDefinition;
  /** What requests and answers carry. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
}

const builtInVerbs: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];
const customVerbs: readonly Verb[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
];
const partVerbs = ['get', 'patch', 'update'];

/** The verbs of a resource, in the order in which discovery lists them. */
export function verbsOf({ verbs, origin }: ResourceDefinition): readonly Verb[] {
  return verbs ?? (origin === 'custom' ? customVerbs : builtInVerbs);
}

/** A resource and its subresources, as discovery has them. */
export function apiResourcesOf(definition: ResourceDefinition): ApiResource[] {
  const { group, version, kind, plural, subresources } = definition;
  const own = { group, version, kind };
  const entry = (subresource: string, of: ApiResource['kind'], verbs: readonly string[]): ApiResource => ({
    plural,
    subresource,
    definition,
    kind: of,
    verbs,
  });
  return [
    entry('', own, verbsOf(definition)),
    ...(subresources.status ? [entry('status', own, partVerbs)] : []),
    ...(subresources.scale ? [entry('scale', { group: 'autoscaling', version: 'v1', kind: 'Scale' }, partVerbs)] : []),
    ...(subresources.binding ? [entry('binding', { group: '', version: 'v1', kind: 'Binding' }, ['create'])] : []),
    ...(subresources.eviction
      ? [entry('eviction', { group: 'policy', version: 'v1', kind: 'Eviction' }, ['create'])]
      : []),
    ...(subresources.ephemeralcontainers ? [entry('ephemeralcontainers', own, partVerbs)] : []),
    ...(subresources.log ? [entry('log', own, ['get'])] : []),
    ...(subresources.resize ? [entry('resize', own, partVerbs)] : []),
    ...(subresources.token
      ? [entry('token', { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' }, ['create'])]
      : []),
    ...(subresources.finalize ? [entry('finalize', own, ['update'])] : []),
  ];
}

/** Versions of a group, best first: stable before beta before alpha, higher before lower, other names last. */
export function compareVersions(a: string, b: string): number {
  const [first, second] = [ranked(a), ranked(b)];
  if (!first || !second) return first ? -1 : second ? 1 : a < b ? -1 : a > b ? 1 : 0;
  return second.stage - first.stage || second.major - first.major || second.minor - first.minor;
}

function ranked(version: string) {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return undefined;
  const stage = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
  return { stage, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}

// The order in which Kubernetes prefers its own groups; kubectl resolves short names by it.
const groupOrder = [
  '',
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
];

/** Definitions by group and version, in the order of discovery. */
export function groupsOf(definitions: readonly ResourceDefinition[]) {
  const groups = new Map<string, Map<string, ResourceDefinition[]>>();
  for (const definition of definitions) {
    const versions = groups.get(definition.group) ?? new Map<string, ResourceDefinition[]>();
    groups.set(definition.group, versions);
    versions.set(definition.version, [...(versions.get(definition.version) ?? []), definition]);
  }
  const rank = (group: string) => {
    const at = groupOrder.indexOf(group);
    return at < 0 ? groupOrder.length : at;
  };
  return [...groups]
    .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map(([group, versions]) => ({
      group,
      versions: [...versions]
        .sort(([a], [b]) => compareVersions(a, b))
        .map(([version, resources]) => ({
          version,
          groupVersion: apiVersionOf({ group, version }),
          resources,
        })),
    }));
}
