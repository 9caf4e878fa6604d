import type { CanaryRule } from '@slipway/feature-gates';
import type { Reason } from '../api/conditions.js';
import type { Dangling } from '../api/dangling.js';
import type { Consent, GuardStatus, Progress, TaskResult } from '../api/feature.js';

/** What one run of a task came to. Nothing here throws: an error is an outcome. */
export type TaskOutcome =
  | {
      readonly kind: 'done';
      readonly result?: TaskResult;
      readonly objects?: number;
      /** With `Waived`: who or what was passed over. */
      readonly note?: string;
      /** The value to publish, in the same write that completes the task. */
      readonly publish?: boolean;
      readonly dangling?: Dangling;
      /** The guard that is in force now, or that there is none any more. */
      readonly guard?: GuardStatus | 'removed';
    }
  /** `waiting` needs no action, `blocked` needs a person; both are tried again. */
  | ({ readonly kind: 'waiting' | 'blocked' } & Hold)
  /** Objects still use the feature after the tasks that clear them. */
  | { readonly kind: 'found'; readonly dangling: Dangling }
  /** The consent that it ran under does not cover what it would have changed next. */
  | { readonly kind: 'uncovered'; readonly consent: Consent; readonly message: string }
  /** What was begun does harm: the feature goes back to where it came from. */
  | { readonly kind: 'rollback'; readonly message: string }
  /** A request failed; worth repeating. */
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly retryAfterMs?: number;
      /** As many failures in a row are for a person to see to, as in `blocksAfter`; never when absent. */
      readonly blocksAfter?: number;
    };

export interface Hold {
  readonly reason: Reason;
  readonly message: string;
  /** When to look again. Without one: later each time. */
  readonly retryAfterMs?: number;
  /** Looking costs nothing, so it is done at every change and not only when the time is up. */
  readonly eager?: boolean;
  readonly progress?: Progress;
  readonly checkpoint?: string;
  readonly dangling?: Dangling;
  /** Whom to tell of the value already, in the same write. */
  readonly rules?: readonly CanaryRule[];
}

/** An outcome, and which task of which transition it belongs to. */
export interface TaskReport {
  readonly transition: string;
  readonly task: string;
  readonly outcome: TaskOutcome;
}
