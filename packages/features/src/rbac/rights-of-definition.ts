import { type KubeObject, role, roleBinding } from '@slipway/kube';
import type { FeatureDefinition, FeatureDefinitionSpec, TaskDefinition } from '../api/feature-definition.js';
import { serverNamespace, trialNamespace } from '../api/group.js';
import { reachOf } from '../api/scope.js';
import {
  backupGrant,
  grantsOfTask,
  jobGrants,
  keepsBackups,
  referenceGrants,
  rulesFrom,
  trialGrants,
} from './grants.js';
import { serverAccount } from './server-rights.js';

/** What a definition needs of a cluster beyond the rights every feature server has. */
export interface DefinitionRights {
  /** The namespace of trials, a role for the objects it reaches, Roles for backups and trials, and who is given them. Empty when nothing is needed. */
  readonly objects: readonly KubeObject[];
  /** Tasks whose rights are not known from the definition. */
  readonly unknown: readonly string[];
}

/** Namespaces of the jobs in the configuration of a feature server, by the names of the jobs. */
export type JobNamespaces = Readonly<Record<string, { readonly namespace: string }>>;

/**
 * The least rights with which the feature server carries out one definition: it lists what may use the feature, tries its
 * guards with examples that are never stored, and does what the tasks do. Without `jobs` the rights of Job tasks are unknown.
 */
export function rightsOf({ metadata, spec }: FeatureDefinition, jobs: JobNamespaces = {}): DefinitionRights {
  const { name = '', namespace = '' } = metadata;
  const tasks = tasksOf(spec);
  const grants = [
    ...referenceGrants(spec),
    ...trialGrants(spec, 'the cluster'),
    ...tasks.flatMap(({ kind, args = {} }) => grantsOfTask(kind, args) ?? []),
  ];
  // The address of a webhook is the server's own, and calling it takes no right of the API.
  const namespaceOf = ({ kind, args }: TaskDefinition) =>
    kind === 'Job' ? jobs[String(args?.name)]?.namespace : undefined;
  const unknown = tasks
    .filter((task) => task.kind !== 'Webhook' && !grantsOfTask(task.kind, {}) && namespaceOf(task) === undefined)
    .map(({ kind }) => kind);
  const called = `slipway-feature:${namespace}:${name}`;
  const reach = reachOf(spec, namespace);
  const reached = role(called, rulesFrom(grants), reach);
  const backups = role(`${called}:backups`, rulesFrom([backupGrant]), reach ?? serverNamespace);
  const tried = rulesFrom(trialGrants(spec, 'namespaces'));
  const trials = tried.length > 0 ? [role(`${called}:trial`, tried, reach ?? trialNamespace)] : [];
  const started = [...new Set(tasks.flatMap((task) => namespaceOf(task) ?? []))];
  const roles = [
    ...(grants.length > 0 ? [reached] : []),
    ...trials,
    ...(tasks.some(keepsBackups) ? [backups] : []),
    ...started.map((where) => role(`${called}:jobs`, rulesFrom(jobGrants), where)),
  ];
  return {
    objects: [
      ...(trials.length > 0 && reach === undefined ? [trialNamespaceObject] : []),
      ...roles,
      ...roles.map((each) => roleBinding(each, serverAccount)),
    ],
    unknown: [...new Set(unknown)],
  };
}

/** Nothing is stored there. Whoever takes the server over may make the objects of examples, and no pod that has a node's rights. */
const trialNamespaceObject: KubeObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: trialNamespace, labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } },
};

/** Whether the feature server keeps values of this definition's feature in Secrets. */
export function hasBackups({ spec }: FeatureDefinition): boolean {
  return tasksOf(spec).some(keepsBackups);
}

function tasksOf({ tasks = {} }: FeatureDefinitionSpec): readonly TaskDefinition[] {
  const { on = [], off = [], true: alsoOn = [], false: alsoOff = [], upgrade = [], downgrade = [] } = tasks;
  return [...on, ...off, ...alsoOn, ...alsoOff, ...upgrade, ...downgrade];
}
