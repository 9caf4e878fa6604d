import type { PolicyRule } from '@slipway/kube';
import type { TaskArgs } from '../api/feature.js';
import type { FeatureDefinitionSpec, Reference } from '../api/feature-definition.js';
import { referencesOf, withEmbedded } from '../references/embedding.js';

/** Verbs on a resource of an API group. */
export type Grant = readonly [group: string, resource: string, ...verbs: string[]];

const crds = ['apiextensions.k8s.io', 'customresourcedefinitions'] as const;
const migrations: Grant = ['storagemigration.k8s.io', 'storageversionmigrations', 'get', 'create'];

/** Where backups are kept. */
export const backupGrant: Grant = ['', 'secrets', 'get', 'list', 'create', 'update', 'delete'];

/** What a Job task does in the namespace of its job. */
export const jobGrants: readonly Grant[] = [
  ['batch', 'jobs', 'get', 'create'],
  ['', 'pods', 'list'],
];

/** What the tasks of each kind do with the API; those that touch no objects of users are not here. */
const grantsOf: Readonly<Record<string, (args: TaskArgs) => readonly Grant[]>> = {
  ClearField: (args) => [named(args, 'get', 'list', 'patch')],
  WaitForNoObjects: (args) =>
    withEmbedded(args as unknown as Reference).map(({ group, resource }) => [group, resource, 'list']),
  ClearCollection: (args) => [named(args, 'list', 'delete')],
  MigrateStorage: (args) => [
    named(args, 'list', 'patch'),
    migrations,
    [...crds, 'get'],
    [crds[0], `${crds[1]}/status`, 'patch'],
  ],
  InstallCRD: () => [[...crds, 'get', 'create', 'patch']],
  RemoveCRD: () => [[...crds, 'get', 'delete']],
  HideField: () => [[...crds, 'get', 'update']],
  ShowField: () => [[...crds, 'get', 'update']],
};

/** Returns the rights that a task of this kind needs; undefined when the definition does not determine them. */
export function grantsOfTask(kind: string, args: TaskArgs): readonly Grant[] | undefined {
  return Object.hasOwn(grantsOf, kind) ? grantsOf[kind]?.(args) : undefined;
}

/** Whether a task keeps the values that it clears. */
export function keepsBackups({ kind, args }: { readonly kind: string; readonly args?: TaskArgs }): boolean {
  return kind === 'ClearField' && args?.backup !== 'None';
}

/** Returns the rights that a scan for uses needs. */
export function referenceGrants(definition: FeatureDefinitionSpec): readonly Grant[] {
  return referencesOf(definition).flatMap(({ group, resource, derived = [] }) => [
    [group, resource, 'list'] as const,
    ...derived.map((copy): Grant => [copy.group, copy.resource, 'list']),
  ]);
}

/** Guards are tried with examples as dry runs: their resources are created where trials are made, and nowhere else. */
export function trialGrants(definition: FeatureDefinitionSpec, of: 'namespaces' | 'the cluster'): readonly Grant[] {
  const { exercise = [] } = definition;
  const tried = exercise.filter(({ metadata }) => (metadata?.namespace === undefined) === (of === 'the cluster'));
  const isTried = ({ group, resource }: Reference) =>
    tried.some(({ apiVersion, kind }) => groupOf(apiVersion) === group && pluralsOf(kind).includes(resource));
  return referencesOf(definition)
    .filter(isTried)
    .map(({ group, resource }) => [group, resource, 'create']);
}

/** One rule for each resource, with all that is wanted of it. */
export function rulesFrom(grants: readonly Grant[]): readonly PolicyRule[] {
  const verbs = new Map<string, Set<string>>();
  for (const [group, resource, ...wanted] of grants) {
    const key = `${group}/${resource}`;
    verbs.set(key, new Set([...(verbs.get(key) ?? []), ...wanted]));
  }
  return [...verbs].map(([key, wanted]) => {
    const slash = key.indexOf('/');
    return { apiGroups: [key.slice(0, slash)], resources: [key.slice(slash + 1)], verbs: [...wanted] };
  });
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

/** What the plural of a kind may be: the definition names it, but not which example it belongs to. */
function pluralsOf(kind: string): readonly string[] {
  const name = kind.toLowerCase();
  return [`${name}s`, `${name}es`, name.replace(/y$/, 'ies')];
}

function named({ group, resource }: TaskArgs, ...verbs: string[]): Grant {
  return [String(group ?? ''), String(resource ?? ''), ...verbs];
}
