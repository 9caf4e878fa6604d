import type { KubeObject } from '@slipway/kube';
import type { PullQueue } from './pull-queue.js';

/** What of a queue decides about events. */
type WaitingQueue = Pick<PullQueue, 'limit' | 'counted' | 'paused' | 'runtimeUp' | 'waiting'>;

/** An event about a pod. */
export interface PullEvent {
  readonly pod: KubeObject;
  readonly message: string;
}

/** A wait is reported when it has lasted so long, and then again after each multiple of the last. */
const reportAfterMs = [10_000, 60_000, 300_000, 600_000];

/**
 * Decides which waiting pulls are reported on their pods. Messages do not name other pulls: those may be of namespaces that the
 * readers of the event cannot see.
 */
export class WaitingPulls {
  /** The wait that was reported last, by pod and image. */
  #reportedMs = new Map<string, number>();

  /** Returns the events that are due. */
  observe(queue: WaitingQueue): readonly PullEvent[] {
    const before = this.#reportedMs;
    const now = new Map<string, number>();
    const events = queue.waiting.flatMap((pull, index) => {
      const dueMs = lastDueMs(pull.waitedMs);
      return pull.pods.flatMap((name, at) => {
        const uid = pull.podUids.length === pull.pods.length ? pull.podUids[at] : undefined;
        const key = JSON.stringify([uid ?? name, pull.image]);
        const reportedMs = before.get(key) ?? 0;
        now.set(key, Math.max(dueMs, reportedMs));
        if (dueMs <= reportedMs) return [];
        const message = `Waited ${durationText(dueMs)} to pull image "${pull.image}": ${causeOf(queue)}, position ${index + 1} of ${queue.waiting.length}`;
        return [{ pod: podOf(name, uid), message }];
      });
    });
    this.#reportedMs = now;
    return events;
  }
}

function lastDueMs(waitedMs: number): number {
  const due = reportAfterMs.findLast((ms) => ms <= waitedMs) ?? 0;
  return due === reportAfterMs.at(-1) ? waitedMs - (waitedMs % due) : due;
}

function causeOf({ limit, counted, paused, runtimeUp }: WaitingQueue): string {
  if (!runtimeUp) return 'the container runtime does not answer';
  return paused ? 'pulls are paused on this node' : `${counted} of ${limit} slots of this node are in use`;
}

function podOf(namespacedName: string, uid: string | undefined): KubeObject {
  const [namespace = '', name = ''] = namespacedName.split('/');
  return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name, ...(uid !== undefined && { uid }) } };
}

function durationText(ms: number): string {
  return ms < 60_000 ? `${ms / 1_000}s` : `${ms / 60_000}m`;
}
