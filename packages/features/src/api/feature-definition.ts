import type { Condition, KubeObject, ResourceRef } from '@slipway/kube';
import type { Author } from './author.js';
import type { Cleanup, TaskArgs, TaskPhase } from './feature.js';
import { group, version } from './group.js';
import type { MatchRequirement } from './match-requirement.js';
import type { Scope } from './scope.js';
import type { Target } from './target.js';

/**
 * What a feature's author declares: who runs it, what counts as using it, and
 * what must happen when it is turned on or off. It has the name of its Feature.
 * Without one a gate is reported and nothing else.
 */
export interface FeatureDefinition extends KubeObject {
  /** Who wrote the spec. */
  readonly author?: Author;
  readonly spec: FeatureDefinitionSpec;
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly Condition[] };
}

export const FeatureDefinition: ResourceRef<FeatureDefinition> = {
  group,
  version,
  kind: 'FeatureDefinition',
  plural: 'featuredefinitions',
  namespaced: true,
};

export interface FeatureDefinitionSpec {
  readonly gate: string;
  /** Which objects the definition may name. When absent `Cluster` in kube-system and slipway-system, elsewhere `Namespace`. */
  readonly scope?: Scope;
  /** History by version, oldest first. */
  readonly stages?: readonly StageEntry[];
  readonly components: readonly ComponentDefinition[];
  readonly dependsOn?: readonly string[];
  readonly conflictsWith?: readonly string[];
  /** Whether processes may take the value from the API: not at all, when they start, or also while they run. */
  readonly dynamic?: 'Never' | 'AtStart' | 'Live';
  readonly disable?: 'Supported' | 'Unsupported';
  /** What tasks that change users' objects may do when the Feature does not say. */
  readonly cleanup?: Cleanup;
  readonly references?: readonly Reference[];
  readonly tasks?: DefinedTasks;
  /** Manifests that use the feature, for tests of on, use, off. */
  readonly exercise?: readonly KubeObject[];
}

/**
 * What must happen on the way. kubectl reads YAML 1.1, where an unquoted key `on` or
 * `off` is a boolean: such a definition arrives with `true` and `false`, and means the same.
 */
export interface DefinedTasks {
  readonly on?: readonly TaskDefinition[];
  readonly off?: readonly TaskDefinition[];
  readonly true?: readonly TaskDefinition[];
  readonly false?: readonly TaskDefinition[];
  /** Once, on the way to a newer version, and back. */
  readonly upgrade?: readonly VersionTask[];
  readonly downgrade?: readonly VersionTask[];
}

/** The author's tasks for one direction, in order. */
export function tasksTowards({ tasks = {} }: FeatureDefinitionSpec, to: Target): readonly TaskDefinition[] {
  const [named, read] = to === 'On' ? [tasks.on, tasks.true] : [tasks.off, tasks.false];
  return [...(named ?? []), ...(read ?? [])];
}

/**
 * Something to do when the cluster goes from one minor version to another, whatever the state of the feature. A way
 * that skips versions has the tasks of all that lie on it.
 */
export interface VersionTask extends Omit<TaskDefinition, 'phase'> {
  /** Minor versions, `1.35`. */
  readonly from: string;
  readonly to: string;
  /** `Before`, while the version that it leaves still serves its data, or `After` every API server has the other one. */
  readonly when?: 'Before' | 'After';
}

export interface StageEntry {
  readonly version: string;
  /** `Removed`: processes no longer have the gate, and behave as `default` says. */
  readonly stage: 'Alpha' | 'Beta' | 'GA' | 'Deprecated' | 'Removed';
  readonly default: boolean;
  readonly locked?: boolean;
}

export interface ComponentDefinition {
  readonly name: string;
  /** Optional components are shown and never waited for. */
  readonly required?: boolean;
  /** Where the list of processes that should report comes from. `Self`: only from the reports. */
  readonly roster: RosterKind;
  /** For `Pods` and `Leases`: label selector of the pods, or of the identity leases. */
  readonly selector?: string;
  /** For `Leases`: name of the lease by which the component elects its leader, in place of a selector. */
  readonly lease?: string;
  /** Where these are; the namespace of the definition when absent. */
  readonly namespace?: string;
  /** Processes older than this do not know the gate, and that is fine. */
  readonly minVersion?: string;
}

export type RosterKind = 'Nodes' | 'APIServers' | 'Pods' | 'Leases' | 'Self';

/** One way in which objects use the feature. The scan, the cleaning and the plan are made from these. */
export interface Reference {
  readonly group: string;
  /** Plural, as in a path. */
  readonly resource: string;
  readonly kind?: 'Field' | 'Object';
  /** `a.b`, `a.b[*].c`, `a.b[name=x].c`, `metadata.annotations["k"]`; without one every object is a use. */
  readonly path?: string;
  /** The value that the API server's defaulting sets when none is given: a field that holds it is not a use. */
  readonly default?: unknown;
  /** Whether the field counts in every kind of Kubernetes that embeds its type as well: that of a pod in all templates. */
  readonly embedded?: boolean;
  /** Further conditions on the object; all must hold. */
  readonly match?: readonly MatchRequirement[];
  /** Copies elsewhere: counted apart, never a reason to wait. */
  readonly derived?: readonly { readonly group: string; readonly resource: string; readonly path: string }[];
}

export interface TaskDefinition {
  readonly name?: string;
  readonly kind: string;
  readonly phase?: TaskPhase;
  readonly destructive?: boolean;
  readonly args?: TaskArgs;
}
