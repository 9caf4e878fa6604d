import type { KubeObject, LabelSelector, ResourceRef } from '@slipway/kube';
import type { PodTemplate } from './pods.js';

/** Job of batch/v1, as the API server gives it: with defaults filled in. */
export interface Job extends KubeObject {
  spec: {
    parallelism: number;
    /** Absent: done as soon as one pod succeeded and none runs any more. */
    completions?: number;
    /** `Indexed`: each of `completions` indexes has to succeed once. */
    completionMode?: 'NonIndexed' | 'Indexed';
    /** How often each index may fail; absent: failures count for the job as a whole. */
    backoffLimitPerIndex?: number;
    maxFailedIndexes?: number;
    podFailurePolicy?: PodFailurePolicy;
    successPolicy?: { readonly rules: readonly SuccessRule[] };
    /** Whether a pod on its way out is replaced at once or when it has failed. */
    podReplacementPolicy?: 'TerminatingOrFailed' | 'Failed';
    /** Another controller that looks after the job. */
    managedBy?: string;
    activeDeadlineSeconds?: number;
    backoffLimit: number;
    ttlSecondsAfterFinished?: number;
    selector: LabelSelector;
    suspend?: boolean;
    template: PodTemplate;
  };
  status?: JobStatus;
}

/** What to do about failed pods; the first rule that matches counts. */
export interface PodFailurePolicy {
  readonly rules: readonly {
    readonly action: 'FailJob' | 'FailIndex' | 'Ignore' | 'Count';
    readonly onExitCodes?: {
      readonly containerName?: string;
      readonly operator: 'In' | 'NotIn';
      readonly values: readonly number[];
    };
    readonly onPodConditions?: readonly { readonly type: string; readonly status?: string }[];
  }[];
}

/** When a job is done before all of it is: indexes in the form `0,2-4`, or how many. */
export interface SuccessRule {
  readonly succeededIndexes?: string;
  readonly succeededCount?: number;
}

export interface JobStatus {
  readonly conditions?: readonly JobCondition[];
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly ready?: number;
  readonly terminating?: number;
  /** Indexes in the form `0,2-4`. */
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  /** Pods that have ended and are about to be counted. */
  readonly uncountedTerminatedPods?: { readonly succeeded?: readonly string[]; readonly failed?: readonly string[] };
}

export interface JobCondition {
  readonly type: 'SuccessCriteriaMet' | 'Complete' | 'FailureTarget' | 'Failed' | 'Suspended';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastProbeTime?: string | null;
  readonly lastTransitionTime?: string | null;
}

export const jobs: ResourceRef<Job> = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };
