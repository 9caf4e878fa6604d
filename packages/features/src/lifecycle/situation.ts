import type { Reason } from '../api/conditions.js';
import type { Dangling } from '../api/dangling.js';
import type { Cleanup, EffectiveStage, FeatureSpec, FeatureStatus, Settable, Waiver } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import type { UsesStatus } from '../api/uses-status.js';
import type { TaskReport } from './task-outcome.js';
import type { VersionRange } from './versions.js';

/** Everything a decision depends on. Equal situations give equal steps. */
export interface Situation {
  readonly nowMs: number;
  readonly spec: FeatureSpec;
  readonly generation?: number | undefined;
  readonly status: FeatureStatus;
  /** Absent for an undeclared gate, which is only reported. */
  readonly definition?: KnownDefinition | undefined;
  readonly cleanup: Cleanup;
  /** The most that may be asked of `spec.mode`. */
  readonly settable: Settable;
  /** Why nothing may be done to the feature, if so. */
  readonly unknown?: Blocker | undefined;
  /** What keeps the dependencies from being met, for the condition. */
  readonly dependencies?: Blocker | undefined;
  readonly effective?: EffectiveStage | undefined;
  readonly coreVersion?: string | undefined;
  /** The versions of the API servers; of the authority where the gate is not one of Kubernetes. */
  readonly clusterVersions?: VersionRange | undefined;
  readonly uses: Omit<UsesStatus, 'epoch' | 'epochAt'>;
  /** Waivers that hold now. */
  readonly waivers: readonly Waiver[];
  /** How long first reports may take, before a feature without full evidence gets a transition anyway. */
  readonly patienceMs: number;
  /** Maximum age of the scan of a feature that is off. */
  readonly scanEveryMs: number;
  /** Id of the transition that may begin now; unique. */
  readonly newId: string;
  /** At least 0 and below 1, drawn for this step: jitter of retries. */
  readonly chance: number;
  readonly isDestructive: (kind: string) => boolean;
  /** What running the head task came to. */
  readonly report?: TaskReport | undefined;
  /** The result of the scan that an earlier step requested. */
  readonly scan?: Dangling | undefined;
}

export interface KnownDefinition {
  readonly spec: FeatureDefinitionSpec;
  readonly digest: string;
  /** `uid/generation`: a definition that was edited and edited back is another one. */
  readonly revision: string;
  /** Why it cannot be carried out; empty when it can. */
  readonly problems: readonly string[];
  /** Why nothing may be done for its author. */
  readonly refusal?: Blocker | undefined;
}

/** Why something is not done, or not true. */
export interface Blocker {
  readonly reason: Reason;
  readonly message: string;
}
