import type { Job, JobStatus } from '@slipway/kube-objects/kinds/api/jobs';
import { aTemplate } from '@slipway/kube-objects/testing/objects';

export const startTime = '2026-01-01T00:00:00Z';
/** An hour later. */
export const nowMs = Date.UTC(2026, 0, 1, 1);

/** A Job of three pods, two at a time, that has begun. */
export function aJob(spec: Partial<Job['spec']> = {}, status: JobStatus = { startTime }): Job {
  const selector = { matchLabels: { app: 'a' } };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'work', namespace: 'default', uid: 'uid-of-work' },
    spec: { parallelism: 2, completions: 3, backoffLimit: 1, selector, template: aTemplate(), ...spec },
    status,
  };
}
