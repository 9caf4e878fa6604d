import { counted, type Pull, type PullQueue } from './queue-state.js';

/** The queue as people look at it. Times in milliseconds. */
export interface PullState {
  readonly limit: number;
  readonly counted: number;
  readonly adopted: number;
  readonly paused: boolean;
  readonly draining: boolean;
  readonly runtimeUp: boolean;
  readonly running: readonly PullView[];
  readonly waiting: readonly PullView[];
}

export interface PullView {
  readonly id: number;
  readonly image: string;
  readonly registry: string;
  /** Tells pulls of one image with different credentials apart; says nothing about them. */
  readonly key: string;
  readonly callers: number;
  /** Of its callers, as far as they said. */
  readonly podUids: readonly string[];
  readonly pods: readonly string[];
  readonly waitedMs: number;
  readonly runningMs: number;
  readonly state: 'running' | 'verifying' | 'stalled' | 'stopping' | 'waiting';
}

/** @param podsFor names the pods that wait for a pull */
export function pullState(queue: PullQueue, podsFor: (pull: Pull) => readonly string[], nowMs: number): PullState {
  const { limit, adopted, paused, draining, lostAtMs, running, waiting } = queue;
  const viewOf = (pull: Pull) => pullView(pull, podsFor(pull), nowMs);
  return {
    limit,
    counted: counted(queue),
    adopted: adopted.length,
    paused,
    draining,
    runtimeUp: lostAtMs === undefined,
    running: running.map(viewOf),
    waiting: waiting.map(viewOf),
  };
}

function pullView(pull: Pull, pods: readonly string[], nowMs: number): PullView {
  const { id, key, image, registry, callers, askedAtMs, startedAtMs } = pull;
  return {
    id,
    image,
    registry,
    key: shortKey(key),
    callers: callers.length,
    podUids: [...new Set(callers.flatMap(({ podUid }) => podUid ?? []))],
    pods,
    waitedMs: (startedAtMs ?? nowMs) - askedAtMs,
    runningMs: startedAtMs === undefined ? 0 : nowMs - startedAtMs,
    state: stateOf(pull),
  };
}

/** Enough of a key to tell it from others. */
export function shortKey(key: string): string {
  return key.slice(0, 8);
}

function stateOf({ startedAtMs, abandonedAtMs, stalledAtMs, lane }: Pull): PullView['state'] {
  if (startedAtMs === undefined) return 'waiting';
  if (abandonedAtMs !== undefined) return 'stopping';
  if (stalledAtMs !== undefined) return 'stalled';
  return lane === 'present' ? 'verifying' : 'running';
}
