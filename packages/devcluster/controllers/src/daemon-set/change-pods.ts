import type { RecentWrites } from '@slipway/kube';
import {
  type EventRecorder,
  errorMessage,
  hasReason,
  isNamespaceTerminating,
  keyOf,
  type ResourceClient,
  refOf,
} from '@slipway/kube';
import type { DaemonSet } from '@slipway/kube-objects/kinds/api/daemon-sets';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { slowStart } from '../workloads/slow-start.js';
import { daemonPod } from './daemon-pod.js';
import type { FailedPods } from './failed-pods.js';
import type { Action, Why } from './plan-daemon-set.js';

interface Deps {
  readonly podClient: ResourceClient<Pod>;
  readonly recent: RecentWrites<Pod>;
  readonly events: EventRecorder;
  readonly failedPods: FailedPods;
  readonly signal: AbortSignal;
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
  const { podClient, recent, events, signal } = deps;
  const nodeNames = actions.flatMap((action) => (action.kind === 'create' ? [action.nodeName] : [])).slice(0, burst);
  const created = await slowStart(nodeNames.length, async (index) => {
    const wanted = daemonPod(set, nodeNames[index] ?? '', hash);
    const pod = recent.wrote(await podClient.create(wanted, { signal }));
    events.event(set, 'Normal', 'SuccessfulCreate', `Created pod: ${pod.metadata.name}`);
  });
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

async function remove({ podClient, recent, events, signal }: Deps, set: DaemonSet, pod: Pod): Promise<void> {
  try {
    await podClient.delete(refOf(pod), { preconditions: { uid: pod.metadata.uid ?? '' }, signal });
    recent.deleted(pod);
    events.event(set, 'Normal', 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
  } catch (error) {
    // Another client was faster: the next reconciliation does what is left.
    if (!hasReason(error, 'Conflict')) {
      events.event(set, 'Warning', 'FailedDelete', `Error deleting: ${errorMessage(error)}`);
    }
    throw error;
  }
}
