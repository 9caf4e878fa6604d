import { type EventRecorder, errorMessage, hasReason, isNamespaceTerminating, keyOf } from '@slipway/kube';
import type { DaemonSet } from '@slipway/kube-objects/kinds/api/daemon-sets';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { createPods, deletePod, type Writing } from '../workloads/write-pods.js';
import { daemonPod } from './daemon-pod.js';
import type { FailedPods } from './failed-pods.js';
import type { Action, Why } from './plan-daemon-set.js';

interface Deps extends Writing<Pod> {
  readonly failedPods: FailedPods;
}

/** What came of a plan. */
export interface Changed {
  /** The first thing that went wrong. */
  readonly error?: unknown;
  /** Milliseconds until a failed pod may be replaced, when one has to wait. */
  readonly waitMs?: number;
}

/** No more than this many pods are created or deleted in one go. */
const burst = 250;

/** Creates and deletes pods as planned, and tells about it. */
export async function changePods(
  deps: Deps,
  set: DaemonSet,
  hash: string,
  actions: readonly Action[],
): Promise<Changed> {
  const { events } = deps;
  const nodeNames = actions.flatMap((action) => (action.kind === 'create' ? [action.nodeName] : [])).slice(0, burst);
  const created = await createPods(deps, set, nodeNames.length, (index) =>
    daemonPod(set, nodeNames[index] ?? '', hash),
  );
  if (created.error !== undefined && !isNamespaceTerminating(created.error)) {
    events.event(set, 'Warning', 'FailedCreate', `Error creating: ${errorMessage(created.error)}`);
  }

  const deletions = actions.flatMap((action) => (action.kind === 'delete' ? [action] : [])).slice(0, burst);
  const waits = await Promise.allSettled(
    deletions.map(async ({ pod, nodeName, why }) => {
      const waitMs = why === 'failed' ? deps.failedPods.replace(`${keyOf(set)} ${nodeName}`) : 0;
      if (waitMs > 0) return waitMs;
      tell(events, set, pod, nodeName, why);
      await remove(deps, set, pod);
      return 0;
    }),
  );
  const refused = waits.find((each) => each.status === 'rejected');
  const waitMs = Math.min(
    ...waits.flatMap((each) => (each.status === 'fulfilled' && each.value > 0 ? each.value : [])),
  );
  const error = created.error !== undefined && isNamespaceTerminating(created.error) ? undefined : created.error;
  return {
    ...((error ?? refused) !== undefined && { error: error ?? refused?.reason }),
    ...(Number.isFinite(waitMs) && { waitMs }),
  };
}

function tell(events: EventRecorder, set: DaemonSet, pod: Pod, nodeName: string, why: Why): void {
  const which = `daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${nodeName}`;
  if (why === 'failed') {
    events.event(set, 'Warning', 'FailedDaemonPod', `Found failed ${which}, will try to kill it`);
  } else if (why === 'succeeded') {
    events.event(set, 'Normal', 'SucceededDaemonPod', `Found succeeded ${which}, will try to delete it`);
  }
}

async function remove(deps: Deps, set: DaemonSet, pod: Pod): Promise<void> {
  try {
    await deletePod(deps, set, pod);
  } catch (error) {
    // Another client was faster: the next reconciliation does what is left.
    if (!hasReason(error, 'Conflict')) {
      deps.events.event(set, 'Warning', 'FailedDelete', `Error deleting: ${errorMessage(error)}`);
    }
    throw error;
  }
}
