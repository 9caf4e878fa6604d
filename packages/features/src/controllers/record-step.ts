import { hasReason, StatusError } from '@slipway/kube';
import type { Feature, FeatureStatus } from '../api/feature.js';
import { blocksAfter } from '../lifecycle/failure.js';
import type { Step } from '../lifecycle/step.js';
import type { TaskReport } from '../lifecycle/task-outcome.js';
import { at } from '../lifecycle/transition.js';
import { raiseEpoch } from '../uses/epoch.js';
import type { ViewDeps } from '../view/feature-view.js';
import { writeStatus } from './write-status.js';

/**
 * Opens a round if the step says so, and writes the status. Returns the stored Feature, the same object if nothing
 * changed; undefined if another writer updated or deleted the Feature first.
 */
export async function recordStep(
  { kube, uses }: Pick<ViewDeps, 'kube' | 'uses'>,
  feature: Feature,
  { openRound, status }: Step,
  signal: AbortSignal,
): Promise<Feature | undefined> {
  let next: FeatureStatus = status;
  if (status.uses && openRound) {
    const namespace = feature.metadata.namespace ?? '';
    const above = Math.max(status.uses.epoch, uses.newestEpoch(namespace));
    const epoch = await raiseEpoch(kube, { namespace, processes: uses.processes(namespace), above }, signal);
    next = { ...status, uses: { ...status.uses, epoch, epochAt: at(kube.clock.now()) } };
  }
  try {
    return await writeStatus(kube, feature, next, signal);
  } catch (error) {
    if (hasReason(error, 'Conflict') || hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

/**
 * Replaces a report whose outcome the API server rejects in a status: the task failed, and why. Undefined for
 * other errors, and if the replacement itself was rejected.
 */
export function reportRejection(report: TaskReport, error: unknown): TaskReport | undefined {
  const isRejected = error instanceof StatusError && [400, 413, 422].includes(error.code);
  const prefix = 'the API server rejected the outcome of the task: ';
  if (!isRejected || (report.outcome.kind === 'failed' && report.outcome.message.startsWith(prefix))) return undefined;
  const outcome = { kind: 'failed', message: `${prefix}${error.message}`, blocksAfter: blocksAfter.likely } as const;
  return { ...report, outcome };
}
