import type { CanaryRule } from '@slipway/feature-gates';
import type { Condition, KubeObject, ResourceRef } from '@slipway/kube';
import type { Author } from './author.js';
import type { Canary, CanaryFailure } from './canary.js';
import type { Dangling } from './dangling.js';
import { group, version } from './group.js';
import type { Target } from './target.js';
import type { UsesStatus } from './uses-status.js';

/**
 * One gate of one namespace: what it should be, what every process runs, and how
 * far the way between the two is. The announcer creates it, administrators own
 * `spec`, the feature server owns `status`.
 */
export interface Feature extends KubeObject {
  /** Who wrote the spec last. */
  readonly author?: Author;
  readonly spec: FeatureSpec;
  readonly status?: FeatureStatus;
}

export const Feature: ResourceRef<Feature> = { group, version, kind: 'Feature', plural: 'features', namespaced: true };

export interface FeatureSpec {
  /** Name in code, in its own letter case. The object's name is the same in lower case. */
  readonly gate: string;
  /** `Unmanaged` follows what the authority component runs; `Default` the default of its version. */
  readonly desired?: Desired;
  readonly mode?: Mode;
  /** Whose setting is the configured value while the Feature does not manage it; the definition's first component when absent. */
  readonly authority?: { readonly component: string };
  readonly paused?: boolean;
  readonly cleanup?: Cleanup;
  /** A new word here has the task at work tried again at once instead of at its `retryTime`. */
  readonly retry?: string;
  /** How long a backup of cleared values is kept after its last value was written. Go duration; 2160h (90 days) when absent. */
  readonly backupRetention?: string;
  /** Consent to tasks that change users' objects, where `cleanup` is `Manual`. */
  readonly consent?: Consent;
  /** The minor version that the cluster is about to move to: what the definition wants done on the way is done now. */
  readonly targetVersion?: string;
  /** A new word here has the tasks for `targetVersion` done once more, from the first. */
  readonly targetRequest?: string;
  readonly uses?: UsesPolicy;
  readonly pace?: Partial<Pace>;
  readonly guard?: GuardPolicy;
  readonly canary?: Canary;
  readonly waivers?: readonly Waiver[];
}

/**
 * Consent of a person to what was shown: this plan, of this definition, with these objects. It covers nothing
 * else, and a consent that once did not hold is withdrawn for good.
 */
export interface Consent {
  /** `plan` of the transition or of the maintenance. */
  readonly plan: string;
  /** `uid/generation` of the FeatureDefinition. */
  readonly definition: string;
  /** What was shown of each task whose objects can be counted. */
  readonly objects: readonly ConsentedObjects[];
  /** RFC 3339, at most 24 hours ahead. */
  readonly expires: string;
}

export interface ConsentedObjects {
  readonly task: string;
  /** Objects that the task may change, with those that it has changed. */
  readonly count: number;
  /** When the newest of them was created, RFC 3339: an object that is newer was not shown. */
  readonly newest?: string;
}

export type Desired = 'Unmanaged' | 'Default' | 'On' | 'Off';

/**
 * `Follow`: processes are set by their own flags, and we wait for them. `Central`: the flag of
 * the authority is published, and the others take it when they start. `Dynamic`: processes
 * that declared the gate live take what the spec says, while they run.
 */
export type Mode = 'Follow' | 'Central' | 'Dynamic';

/** Whether tasks that change users' objects run without asking, on consent, or not at all. */
export type Cleanup = 'Automatic' | 'Manual' | 'Never';

export interface UsesPolicy {
  /** How long after the epoch a renewal counts as evidence although it does not name the epoch. Go duration. */
  readonly settle?: string;
  /** After this long a process with the old value, or none, is called a straggler. Go duration. */
  readonly stragglersAfter?: string;
  /** `Proceed`: then the transition goes on without those that are silent, if they are at most `maxSilent`. */
  readonly stragglerAction?: 'Block' | 'Proceed';
  /** A number of processes, or a share of each component such as `1%`. */
  readonly maxSilent?: number | string;
}

/**
 * A named person answers for what does not agree, for a while. It lets a transition go
 * on; it never makes anything count as agreeing. Names a process, a node, a task or an object.
 */
export interface Waiver {
  readonly id: string;
  /** Name of a FeatureUse, or of a process that should report. */
  readonly process?: string;
  /** Every process on this node. */
  readonly node?: string;
  /** A task of the plan that waits for a person. */
  readonly task?: string;
  /** An object that still uses the feature: `statefulsets.apps/NAMESPACE/NAME`. */
  readonly object?: string;
  readonly reason: string;
  /** Who answers for it. */
  readonly by: string;
  /** At most 30 days ahead; a waiver that would last longer does not hold. */
  readonly expires: string;
}

/** How an object is kept from using the feature anew while that is off. */
export interface GuardPolicy {
  readonly mode?: GuardMode;
  /** `InUse`: who uses it may change the value. `Unchanged`: only keep it. */
  readonly ratchet?: 'InUse' | 'Unchanged';
}

/** What happens to a new use: refused, taken out of what is written, let through with a warning, or nothing. */
export type GuardMode = 'Deny' | 'Strip' | 'Warn' | 'None';

export interface Pace {
  readonly qps: number;
  readonly burst: number;
  readonly pageSize: number;
  readonly inFlight: number;
}

export type FeatureState = 'Unknown' | 'Off' | 'TurningOn' | 'On' | 'TurningOff';

/** Written by one server at a time, always with the resourceVersion it was read at. */
export interface FeatureStatus {
  readonly observedGeneration?: number;
  /** The consent that does not hold any more, and why. */
  readonly withdrawnConsent?: WithdrawnConsent;
  /** Digests of what the running plan was made from; a change of either makes a new plan. */
  readonly specDigest?: string;
  readonly definitionDigest?: string;
  readonly lastKnownVersion?: string;
  /** The version of the cluster when the gate was first found to be unknown. */
  readonly unknownSince?: string;
  readonly effective?: EffectiveStage;
  readonly configured?: Configured;
  /** The most that may be asked of `spec.mode`. */
  readonly settable?: Settable;
  /** What processes that follow this feature must run. */
  readonly published?: Published;
  readonly canaryFailed?: CanaryFailure;
  readonly state?: FeatureState;
  readonly stateSince?: string;
  /** Number of the newest transition. Invariant: it never falls. */
  readonly transitions?: number;
  /**
   * The backup that transitions add to: everything cleared since the feature was last On is one
   * backup, however often the transition was replanned, superseded or followed by a cleaning.
   */
  readonly backup?: string;
  /** Present exactly while the state is neither `On` nor `Off` nor `Unknown`. */
  readonly transition?: Transition;
  /** What is done, or was done last, for a move to another version. It rests while there is a transition. */
  readonly maintenance?: Maintenance;
  /** `spec.targetVersion`, and `targetRequest` after a space, once the cluster has that version and nothing is left to do: it asks for nothing any more. */
  readonly targetReached?: string;
  readonly uses?: UsesStatus;
  readonly dangling?: Dangling;
  readonly guard?: GuardStatus;
  readonly history?: readonly PastTransition[];
  readonly summary?: Summary;
  readonly conditions?: readonly Condition[];
}

export interface WithdrawnConsent {
  /** Digest of `spec.consent`. */
  readonly consent: string;
  readonly why: string;
}

export interface EffectiveStage {
  readonly version?: string;
  readonly stage: string;
  readonly default: boolean;
  readonly locked: boolean;
}

export interface Configured {
  readonly value: boolean;
  readonly source: 'Spec' | 'Authority' | 'Default' | 'Locked' | 'Canary';
  /** Set while replicas of the authority disagree; the value is then the previous one. */
  readonly conflict?: string;
}

export interface Settable {
  readonly mode: Mode;
  /** Why no more than that. */
  readonly why?: string;
}

export interface Published {
  readonly value: boolean;
  /** Number of the transition that published it. */
  readonly epoch: number;
  /** The component whose flag it is: its own processes keep to that, others take the value when they start. */
  readonly authority?: string;
  /** Processes that run another value than the rest; the first rule that covers one counts. */
  readonly rules?: readonly CanaryRule[];
}

export interface Transition {
  readonly id: string;
  readonly seq: number;
  readonly to: Target;
  readonly cause: string;
  readonly startedAt: string;
  readonly supersedes?: string;
  /** Digest of the whole plan, which consent names. */
  readonly plan: string;
  /** How often a scan found uses after they had been cleared. */
  readonly loops?: number;
  /** Tasks that remain, in order. The first one is being worked on. */
  readonly tasks: readonly TaskStatus[];
  readonly completed: readonly CompletedTask[];
}

/** Tasks of an upgrade or a downgrade. The state of the feature stays what it is. */
export interface Maintenance {
  readonly id: string;
  /** Minor versions: where the cluster was when it was asked for, and where it goes. */
  readonly from: string;
  readonly to: string;
  readonly startedAt: string;
  /** Digest of the whole plan, which consent names. */
  readonly plan: string;
  /** The backup that its tasks add to: one for all plans of the same move. */
  readonly backup?: string;
  /** Tasks that remain and are due, in order. */
  readonly tasks: readonly TaskStatus[];
  readonly completed: readonly CompletedTask[];
}

/** One task of a plan. Identity for a new plan is (name, kind, argsDigest). */
export interface PlannedTask {
  readonly name: string;
  readonly kind: string;
  readonly args?: TaskArgs;
  readonly argsDigest: string;
  /** Changes or deletes users' objects, so that it may need consent. */
  readonly destructive?: boolean;
}

/** When an author's task runs: before processes are told to change, once all of them have, or once nothing uses the feature. */
export type TaskPhase = 'BeforePublish' | 'AfterUses' | 'AfterClean';

/** Arguments as the definition has them; each kind of task parses its own. */
export type TaskArgs = Readonly<Record<string, unknown>>;

export interface TaskStatus extends PlannedTask {
  readonly phase: 'Pending' | 'Running' | 'Waiting' | 'Blocked';
  readonly reason?: string;
  readonly message?: string;
  /** `spec.retry` when it was last run. */
  readonly retry?: string;
  readonly attempts?: number;
  readonly firstAttempt?: string;
  /** When the task is tried again: RFC 3339. */
  readonly retryTime?: string;
  readonly progress?: Progress;
  /** Where to go on after a crash. Only its task understands it; at most 1 KiB. */
  readonly checkpoint?: string;
}

export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly unit: string;
}

export interface CompletedTask {
  readonly name: string;
  readonly kind: string;
  readonly argsDigest: string;
  readonly at: string;
  readonly seconds: number;
  readonly result: TaskResult;
  /** Objects that were changed or looked at. */
  readonly objects?: number;
  /** With `Waived`: who or what was passed over, and by whose leave. */
  readonly note?: string;
}

/** `Waived`: what it waits for, or does, is not so, and a waiver covers that. */
export type TaskResult = 'Done' | 'Skipped' | 'Waived';

export interface PastTransition {
  readonly id: string;
  readonly to: Target;
  readonly cause: string;
  readonly startedAt: string;
  readonly endedAt: string;
  /** The backup of what it cleared, where that has another name. */
  readonly backup?: string;
  /** `Waived`: completed, and processes or objects were passed over on the way. */
  readonly result: 'Completed' | 'Waived' | 'Superseded' | 'Replanned';
  /** With `Waived`: who or what. */
  readonly note?: string;
}

/** The admission policies in force. */
export interface GuardStatus {
  readonly policies: readonly string[];
  /** From then on a write that the policies were not asked about cannot come through any more. */
  readonly activeSince: string;
  /** API servers that refused a trial write; 0 when none could be tried. */
  readonly verifiedReplicas: number;
  /** What is not guarded, and why. */
  readonly unguarded?: readonly string[];
}

/** Texts of the printer columns. */
export interface Summary {
  readonly state: string;
  readonly configured: string;
  readonly uses: string;
  readonly dangling: string;
  readonly next: string;
  readonly blocked: string;
}
