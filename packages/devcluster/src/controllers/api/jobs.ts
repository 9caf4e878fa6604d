import type { KubeObject, LabelSelector, ResourceRef } from '@slipway/kube';
import type { PodTemplate } from './pods.js';

/** Job of batch/v1, as the API server gives it: with defaults filled in. */
export interface Job extends KubeObject {
  spec: {
    parallelism: number;
    /** Absent: done as soon as one pod succeeded and none runs any more. */
    completions?: number;
    activeDeadlineSeconds?: number;
    backoffLimit: number;
    ttlSecondsAfterFinished?: number;
    selector: LabelSelector;
    suspend?: boolean;
    template: PodTemplate;
  };
  status?: JobStatus;
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
