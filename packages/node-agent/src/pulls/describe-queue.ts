import { maxListed, maxPods, type NodePullQueueSpec, type QueuedPull } from '../api/node-pull-queue.js';
import type { PullLimit } from '../api/pull-limit.js';
import type { PullQueue, StartedPull, WaitingPull } from './pull-queue.js';

/** What an agent says of a queue, apart from when. */
export type QueueContent = Omit<NodePullQueueSpec, 'renewTime' | 'leaseDurationSeconds'>;

/** Durations of one pull that differ by less are of the same beginning, read at other moments. */
const slackMs = 5_000;
const maxImageLength = 512;

/** Describes queues of one limiter for the API. The time at which a pull began stays as it was first described. */
export class QueueDescriber {
  #began = new Map<string, number>();

  /** @param nowMs wall-clock time */
  describe(queue: PullQueue, pullLimit: PullLimit | undefined, nowMs: number): QueueContent {
    const before = this.#began;
    const began = new Map<string, number>();
    const since = (pull: WaitingPull, state: 'running' | 'waiting', durationMs: number) => {
      const key = `${state} ${pull.id} ${pull.image}`;
      const read = nowMs - durationMs;
      const known = before.get(key);
      const kept = known !== undefined && Math.abs(known - read) < slackMs ? known : read;
      began.set(key, kept);
      return new Date(kept).toISOString();
    };
    const content: QueueContent = {
      limit: queue.limit,
      limitSource: queue.limitSource,
      ...(pullLimit && { pullLimit: reference(pullLimit) }),
      paused: queue.paused,
      runtimeUp: queue.runtimeUp,
      running: queue.running.slice(0, maxListed).map((pull) => ({
        ...describePull(pull, since(pull, 'running', pull.runningMs)),
        state: pull.state,
        ...progressOf(pull),
      })),
      runningCount: queue.running.length,
      waiting: queue.waiting
        .slice(0, maxListed)
        .map((pull) => describePull(pull, since(pull, 'waiting', pull.waitedMs))),
      waitingCount: queue.waiting.length,
    };
    this.#began = began;
    return content;
  }
}

function describePull({ image, pods, callers }: WaitingPull, since: string): QueuedPull {
  return { image: image.slice(0, maxImageLength), pods: pods.slice(0, maxPods), callers, since };
}

function progressOf({ progress }: StartedPull): { readonly bytes?: number; readonly totalBytes?: number } {
  if (!progress || progress.totalBytes === 0) return {};
  return { bytes: progress.bytes, totalBytes: progress.totalBytes };
}

function reference({ metadata }: PullLimit) {
  return { name: metadata.name ?? '', generation: metadata.generation ?? 0 };
}
