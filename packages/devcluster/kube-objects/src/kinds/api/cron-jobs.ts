import type { KubeObject, ObjectReference, ResourceRef } from '@slipway/kube';
import type { Job } from './jobs.js';

/** CronJob of batch/v1, as the API server gives it: with defaults filled in. */
export interface CronJob extends KubeObject {
  spec: {
    schedule: string;
    /** IANA name; UTC when absent. */
    timeZone?: string;
    /** A run that is later than this is missed. */
    startingDeadlineSeconds?: number;
    concurrencyPolicy: 'Allow' | 'Forbid' | 'Replace';
    suspend: boolean;
    jobTemplate: { readonly metadata?: KubeObject['metadata']; readonly spec: Job['spec'] };
    successfulJobsHistoryLimit: number;
    failedJobsHistoryLimit: number;
  };
  status?: CronJobStatus;
}

export interface CronJobStatus {
  readonly active?: readonly ObjectReference[];
  readonly lastScheduleTime?: string;
  readonly lastSuccessfulTime?: string;
}

export const cronJobs: ResourceRef<CronJob> = {
  group: 'batch',
  version: 'v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  namespaced: true,
};
