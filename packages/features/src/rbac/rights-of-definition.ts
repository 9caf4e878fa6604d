import { type KubeObject, type PolicyRule, role, roleBinding } from '@slipway/kube';
import type { TaskArgs } from '../api/feature.js';
import type { FeatureDefinition, FeatureDefinitionSpec, Reference, TaskDefinition } from '../api/feature-definition.js';
import { serverAccount } from './server-rights.js';

/** What a definition needs of a cluster beyond the rights every feature server has. */
export interface DefinitionRights {
  /** A ClusterRole, a Role for backups where they are made, and who is given them. Empty when nothing is needed. */
  readonly objects: readonly KubeObject[];
  /** Tasks whose rights are not known from the definition. */
  readonly unknown: readonly string[];
}

type Grant = readonly [group: string, resource: string, ...verbs: string[]];

const crds = ['apiextensions.k8s.io', 'customresourcedefinitions'] as const;
const migrations: Grant = ['storagemigration.k8s.io', 'storageversionmigrations', 'get', 'create'];

/** What the tasks of each kind do with the API; those that touch no objects of users are not here. */
const grantsOf: Readonly<Record<string, (args: TaskArgs) => readonly Grant[]>> = {
  ClearField: (args) => [named(args, 'get', 'list', 'patch')],
  WaitForNoObjects: (args) => [named(args, 'list')],
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
  Webhook: () => [],
};

/**
 * The least rights with which the feature server carries out one definition: it lists what may use the feature, tries its
 * guards with examples that are never stored, and does what the tasks do.
 */
export function rightsOf({ metadata, spec }: FeatureDefinition): DefinitionRights {
  const { name = '', namespace = '' } = metadata;
  const tasks = tasksOf(spec);
  const grants = [
    ...referenceGrants(spec),
    ...trialGrants(spec, undefined),
    ...tasks.flatMap(({ kind, args = {} }) => grantsOf[kind]?.(args) ?? []),
  ];
  const unknown = [...new Set(tasks.flatMap(({ kind }) => (grantsOf[kind] ? [] : [kind])))];
  const called = `slipway-feature:${namespace}:${name}`;
  const everywhere = role(called, rulesFrom(grants));
  const backups = role(
    called,
    [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'create', 'update', 'delete'] }],
    namespace,
  );
  const needsBackups = tasks.some(({ kind, args }) => kind === 'ClearField' && args?.backup !== 'None');
  const trials = trialNamespaces(spec).map((where) =>
    role(`${called}:trial`, rulesFrom(trialGrants(spec, where)), where),
  );
  const roles = [...(grants.length > 0 ? [everywhere] : []), ...trials, ...(needsBackups ? [backups] : [])];
  return { objects: [...roles, ...roles.map((each) => roleBinding(each, serverAccount))], unknown };
}

function referenceGrants({ references = [] }: FeatureDefinitionSpec): readonly Grant[] {
  return references.flatMap(({ group, resource, derived = [] }) => [
    [group, resource, 'list'] as const,
    ...derived.map((copy): Grant => [copy.group, copy.resource, 'list']),
  ]);
}

/** Guards are tried with examples as dry runs: their resources are created where the examples are, and nowhere else. */
function trialGrants(
  { references = [], exercise = [] }: FeatureDefinitionSpec,
  where: string | undefined,
): readonly Grant[] {
  const tried = exercise.filter(({ metadata }) => metadata.namespace === where);
  const isTried = ({ group, resource }: Reference) =>
    tried.some(({ apiVersion, kind }) => groupOf(apiVersion) === group && pluralsOf(kind).includes(resource));
  return references.filter(isTried).map(({ group, resource }) => [group, resource, 'create']);
}

function trialNamespaces({ exercise = [], ...spec }: FeatureDefinitionSpec): readonly string[] {
  const namespaces = [...new Set(exercise.flatMap(({ metadata }) => metadata.namespace ?? []))];
  return namespaces.filter((where) => trialGrants({ ...spec, exercise }, where).length > 0);
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

/** What the plural of a kind may be: the definition names it, but not which example it belongs to. */
function pluralsOf(kind: string): readonly string[] {
  const name = kind.toLowerCase();
  return [`${name}s`, `${name}es`, name.replace(/y$/, 'ies')];
}

function tasksOf({ tasks = {} }: FeatureDefinitionSpec): readonly TaskDefinition[] {
  const { on = [], off = [], true: alsoOn = [], false: alsoOff = [], upgrade = [], downgrade = [] } = tasks;
  return [...on, ...off, ...alsoOn, ...alsoOff, ...upgrade, ...downgrade];
}

/** One rule for each resource, with all that is wanted of it. */
function rulesFrom(grants: readonly Grant[]): readonly PolicyRule[] {
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

function named({ group, resource }: TaskArgs, ...verbs: string[]): Grant {
  return [String(group ?? ''), String(resource ?? ''), ...verbs];
}
