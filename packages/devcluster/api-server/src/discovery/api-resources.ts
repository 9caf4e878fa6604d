import { apiVersionOf } from '@slipway/kube';
import type { RemoteVersion } from '../aggregation/remote-version.js';
import { customPriority, groupPriorities } from '../registry/group-priorities.js';
import type { ResourceDefinition, Subresources, Verb } from '../registry/resource-definition.js';

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

type Part = keyof Subresources;

/** The kinds that subresources take and give, where it is not that of the resource. */
const foreignKinds: { readonly [part in Part]?: ApiResource['kind'] } = {
  scale: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  binding: { group: '', version: 'v1', kind: 'Binding' },
  eviction: { group: 'policy', version: 'v1', kind: 'Eviction' },
  token: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
  attach: { group: '', version: 'v1', kind: 'PodAttachOptions' },
  exec: { group: '', version: 'v1', kind: 'PodExecOptions' },
  portforward: { group: '', version: 'v1', kind: 'PodPortForwardOptions' },
};

/** What can be done with subresources, where they are not read and written like an object. */
const verbsOfPart: { readonly [part in Part]?: readonly string[] } = {
  binding: ['create'],
  eviction: ['create'],
  token: ['create'],
  log: ['get'],
  attach: ['create', 'get'],
  exec: ['create', 'get'],
  portforward: ['create', 'get'],
  proxy: ['create', 'delete', 'get', 'patch', 'update'],
  finalize: ['update'],
};

/** A resource and its subresources, as discovery has them: those of built-in kinds in the order of their names. */
export function apiResourcesOf(definition: ResourceDefinition): ApiResource[] {
  const { group, version, kind, plural, subresources, origin } = definition;
  const own = { group, version, kind };
  const parts = (Object.keys(subresources) as Part[]).filter((part) => subresources[part]);
  const inOrder = origin === 'custom' ? customParts.filter((part) => parts.includes(part)) : parts.sort();
  return [
    { plural, subresource: '', definition, kind: own, verbs: verbsOf(definition) },
    ...inOrder.map((part) => ({
      plural,
      subresource: part,
      definition,
      kind: part === 'proxy' ? { ...own, kind: `${kind}ProxyOptions` } : (foreignKinds[part] ?? own),
      verbs: verbsOfPart[part] ?? partVerbs,
    })),
  ];
}

const customParts: readonly Part[] = ['status', 'scale'];

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

/**
 * Definitions by group and version, in the order of discovery. The versions that other servers answer for have none.
 */
export function groupsOf(definitions: readonly ResourceDefinition[], remotes: readonly RemoteVersion[] = []) {
  const groups = new Map<string, Map<string, ResourceDefinition[]>>();
  for (const definition of definitions) {
    const versions = groups.get(definition.group) ?? new Map<string, ResourceDefinition[]>();
    groups.set(definition.group, versions);
    const ofVersion = versions.get(definition.version);
    if (ofVersion) ofVersion.push(definition);
    else versions.set(definition.version, [definition]);
  }
  for (const { group, version } of remotes) groups.set(group, (groups.get(group) ?? new Map()).set(version, []));
  const remotePriority = (group: string) => remotes.find((remote) => remote.group === group)?.priority;
  const priority = (group: string) => groupPriorities.get(group) ?? remotePriority(group) ?? customPriority.group;
  return [...groups]
    .sort(([a], [b]) => priority(b) - priority(a) || (a < b ? -1 : 1))
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
