import { shortKey } from './pull-state.js';
import { counted, type Pull, type PullQueue, type RefusalReason } from './queue-state.js';

/** Something worth a log line or a counter. Times in milliseconds; never a credential. */
export type PullRecord =
  | {
      readonly what: 'started';
      readonly image: string;
      readonly registry: string;
      readonly lane: 'place' | 'present' | 'released';
      readonly callers: number;
      readonly waitedMs: number;
      readonly counted: number;
      readonly limit: number;
    }
  | { readonly what: 'joined'; readonly image: string }
  | { readonly what: 'waiting'; readonly image: string; readonly position: number; readonly limit: number }
  | {
      readonly what: 'ended';
      readonly image: string;
      readonly registry: string;
      /** The first characters of the key: tells pulls of one image with different credentials apart. */
      readonly key: string;
      readonly pods: readonly string[];
      readonly outcome: string;
      readonly callers: number;
      readonly waitedMs: number;
      readonly pulledMs: number;
      readonly counted: number;
      readonly limit: number;
    }
  | {
      readonly what: 'refused';
      readonly image: string;
      readonly reason: RefusalReason;
      readonly waitedMs: number;
      readonly podUid: string | undefined;
    }
  /** No byte came for so long. */
  | { readonly what: 'stalled'; readonly image: string; readonly registry: string; readonly idleMs: number }
  /** A tag that was verified beside the slots has moved, and waits for a slot. */
  | { readonly what: 'moved tag'; readonly image: string }
  | { readonly what: 'forced'; readonly image: string }
  | { readonly what: 'limit'; readonly from: number; readonly to: number; readonly source: string }
  | { readonly what: 'runtime'; readonly up: boolean };

/** @param queue with the pull in it */
export function startedRecord(pull: Pull, queue: PullQueue, nowMs: number): PullRecord {
  const { image, registry, lane, callers, askedAtMs } = pull;
  const waitedMs = nowMs - askedAtMs;
  return { what: 'started', image, registry, lane, callers: callers.length, waitedMs, ...placesOf(queue) };
}

/** @param queue with the pull still in it */
export function endedRecord(
  pull: Pull,
  queue: PullQueue,
  { pods, outcome, nowMs }: { readonly pods: readonly string[]; readonly outcome: string; readonly nowMs: number },
): PullRecord {
  const { image, registry, key, callers, askedAtMs, startedAtMs = nowMs } = pull;
  return {
    what: 'ended',
    image,
    registry,
    key: shortKey(key),
    pods,
    outcome,
    callers: callers.length,
    waitedMs: startedAtMs - askedAtMs,
    pulledMs: nowMs - startedAtMs,
    ...placesOf(queue),
  };
}

/**
 * Describes a caller that arrived and neither started a pull nor was rejected; undefined when the queue does not have
 * it.
 */
export function arrivedRecord({ running, waiting, limit }: PullQueue, callerId: number): PullRecord | undefined {
  const isTheirs = ({ callers }: Pull) => callers.some(({ id }) => id === callerId);
  const runs = running.find(isTheirs);
  if (runs) return { what: 'joined', image: runs.image };
  const at = waiting.findIndex(isTheirs);
  const waits = waiting[at];
  if (!waits) return undefined;
  if (waits.callers.length > 1) return { what: 'joined', image: waits.image };
  return { what: 'waiting', image: waits.image, position: at + 1, limit };
}

function placesOf(queue: PullQueue): { readonly counted: number; readonly limit: number } {
  return { counted: counted(queue), limit: queue.limit };
}
