import type { Job, JobCondition } from '@slipway/kube-objects/kinds/api/jobs';

/** The condition of a type that holds. */
export function holding({ status }: Job, type: JobCondition['type']): JobCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

/** Returns the condition by which a job was decided to end; what pods do since does not change it. */
export function decision(job: Job): JobCondition | undefined {
  return holding(job, 'SuccessCriteriaMet') ?? holding(job, 'FailureTarget');
}

/** Whether a job has ended, one way or the other. */
export function isOver(job: Job): boolean {
  return holding(job, 'Complete') !== undefined || holding(job, 'Failed') !== undefined;
}

/** When a job ended, in milliseconds since the epoch; undefined while it has not. */
export function endedAtMs(job: Job): number | undefined {
  const condition = holding(job, 'Complete') ?? holding(job, 'Failed');
  return condition?.lastTransitionTime ? Date.parse(condition.lastTransitionTime) : undefined;
}
