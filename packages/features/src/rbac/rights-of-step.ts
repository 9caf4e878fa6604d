import type { Feature, TaskArgs } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import { group } from '../api/group.js';
import { reachOf } from '../api/scope.js';
import { plannedKinds } from '../lifecycle/plan.js';
import { referencesOf } from '../references/embedding.js';
import { backupGrant, type Grant, grantsOfTask, keepsBackups, referenceGrants, trialGrants } from './grants.js';

/** One right that a user may have, as a SubjectAccessReview asks for it. */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** Absent: in all namespaces, or of objects of none. */
  readonly namespace?: string;
  /** Absent: of all names. */
  readonly name?: string;
}

/** A step of a plan. */
export interface PlanStep {
  readonly kind: string;
  readonly args?: TaskArgs;
}

/** The rights that a user needs to have the feature server scan for uses. */
export function rightsOfScan(definition: FeatureDefinitionSpec, { metadata }: Feature): readonly Right[] {
  return referenceGrants(definition).flatMap(rightsIn(reachOf(definition, metadata.namespace)));
}

/**
 * The rights that a user needs to have the feature server take a step: all that the server does with its own. What
 * the operator of the server has set up, a webhook, a job, or a task in code, is a right of its own: `call` on
 * `webhooks`, `run` on `jobs` and `tasks` of features.slipway.dev, by name, in the namespace of the Feature.
 */
export function rightsOfStep(step: PlanStep, definition: FeatureDefinitionSpec, feature: Feature): readonly Right[] {
  const { kind, args = {} } = step;
  const { namespace = '' } = feature.metadata;
  const reach = reachOf(definition, namespace);
  if (kind === 'VerifyClean') return rightsOfScan(definition, feature);
  if (kind === 'InstallGuard') return [...guardRights(definition, feature), ...trialRights(definition, reach)];
  if (kind === 'RemoveGuard') return guardRights(definition, feature);
  if (plannedKinds.includes(kind)) return [];
  const grants = grantsOfTask(kind, args);
  if (!grants) return [setUpRight(kind, args, namespace)];
  // Backups of more than one namespace are the server's own, and of no use to those who write definitions.
  const backups = keepsBackups(step) && reach !== undefined ? rightsIn(reach)(backupGrant) : [];
  return [...grants.flatMap(rightsIn(reach)), ...backups];
}

/** The rights to know the names of the processes that should report. Those of the own namespace are no secret there. */
export function rightsOfRosters(definition: FeatureDefinitionSpec, own: string | undefined): readonly Right[] {
  return definition.components.flatMap(({ roster, namespace = own }): readonly Right[] => {
    if (roster === 'Nodes') return [{ verb: 'list', group: '', resource: 'nodes' }];
    if (namespace === own || namespace === undefined) return [];
    if (roster === 'Pods') return [{ verb: 'list', group: '', resource: 'pods', namespace }];
    return roster === 'Leases' ? [{ verb: 'list', group: 'coordination.k8s.io', resource: 'leases', namespace }] : [];
  });
}

/**
 * A guard of the whole cluster is an admission policy, which a user must be able to create. One of a single namespace
 * denies writes there only: who may create, change and delete every object of the kind could undo each such write.
 */
function guardRights(definition: FeatureDefinitionSpec, { metadata, spec }: Feature): readonly Right[] {
  const references = referencesOf(definition);
  const { mode = 'Deny' } = spec.guard ?? {};
  if (references.length === 0 || mode === 'None') return [];
  const reach = reachOf(definition, metadata.namespace);
  const verbs = ['create', 'update', 'delete'];
  if (reach !== undefined) {
    return references.flatMap(({ group: of, resource }) => rightsIn(reach)([of, resource, ...verbs]));
  }
  const prefix = mode === 'Strip' ? 'mutating' : 'validating';
  const policies = [`${prefix}admissionpolicies`, `${prefix}admissionpolicybindings`];
  return policies.flatMap((resource) => rightsIn(undefined)(['admissionregistration.k8s.io', resource, ...verbs]));
}

/** Trials of a guard of the whole cluster are the server's own: they store nothing, in a namespace that it alone uses. */
function trialRights(definition: FeatureDefinitionSpec, reach: string | undefined): readonly Right[] {
  return [
    ...trialGrants(definition, 'the cluster').flatMap(rightsIn(reach)),
    ...(reach === undefined ? [] : trialGrants(definition, 'namespaces').flatMap(rightsIn(reach))),
  ];
}

function setUpRight(kind: string, { name }: TaskArgs, namespace: string): Right {
  const called = typeof name === 'string' ? name : '';
  if (kind === 'Webhook') return { verb: 'call', group, resource: 'webhooks', namespace, name: called };
  if (kind === 'Job') return { verb: 'run', group, resource: 'jobs', namespace, name: called };
  return { verb: 'run', group, resource: 'tasks', namespace, name: kind };
}

function rightsIn(namespace: string | undefined): (grant: Grant) => readonly Right[] {
  return ([of, resource, ...verbs]) =>
    verbs.map((verb) => ({ verb, group: of, resource, ...(namespace !== undefined && { namespace }) }));
}
