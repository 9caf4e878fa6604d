/** How sure it is that the runtime has an image already: a digest or a pull seen a moment ago is `sure`, a tag only `likely`. */
export type Presence = 'absent' | 'likely' | 'sure';

/** Why a caller was answered without a pull. One word for error, metric and log. */
export type RefusalReason =
  | 'TooManyPullingInParallel'
  | 'QueueFull'
  | 'PodGone'
  | 'RuntimeAway'
  | 'Draining'
  | 'Dropped';

/** One PullImage call. Times are monotonic milliseconds. */
export interface Caller {
  readonly id: number;
  /** The pod it pulls for, when the call says so. */
  readonly podUid?: string | undefined;
  readonly askedAtMs: number;
  /** When it is refused if it still waits; `Infinity` waits for ever, `askedAtMs` does not wait. */
  readonly giveUpAtMs: number;
  /** The call's own `maxParallelImagePulling`. It can only tighten the limit; 0 is no wish. */
  readonly limit: number;
  /** Above 0 the caller starts only at its looks, this many milliseconds apart, instead of when a place gets free. */
  readonly lookEveryMs: number;
  readonly nextLookAtMs: number;
}

/** What the runtime does once for all callers with an equal key. */
export interface Pull {
  readonly id: number;
  readonly key: string;
  readonly image: string;
  readonly registry: string;
  readonly presence: Presence;
  /** Of its first caller; with `id` it is the place in the queue, and joining never changes it. */
  readonly askedAtMs: number;
  readonly callers: readonly Caller[];
  readonly startedAtMs?: number;
  /** Whether it counts against the limit. An image that is there is verified beside the places. */
  readonly lane: 'place' | 'present';
  /** Set when its last caller hung up and the runtime was told to stop. The place is held until it did. */
  readonly abandonedAtMs?: number;
  /** Set when its callers were lost with their connection: how long it is kept for them to come back. */
  readonly keepUntilMs?: number;
}

/** Constants of a queue. Times in milliseconds. */
export interface QueueSettings {
  /** How many pulls may wait; joining one that waits is always possible. */
  readonly maxWaiting: number;
  /** How many images that are surely there may be verified beside the places. */
  readonly presentLane: number;
  /** A pull beside the places that takes longer is a download after all, and counts from then on. */
  readonly presentTripMs: number;
  /** How long a place is held for an abandoned pull that does not end. */
  readonly abortTimeoutMs: number;
  /** How long a pull outlives the connection of its callers. */
  readonly sessionGraceMs: number;
  /** How long callers wait for a runtime that is away. */
  readonly runtimeLostGraceMs: number;
  /** How long a refusal is remembered, so that a caller that tries its credentials in turn waits once. */
  readonly refusalMemoryMs: number;
  /** Pulls at once per registry host, `default` for all others; 0 or nothing is no cap. */
  readonly perRegistry: Readonly<Record<string, number>>;
}

export const defaultQueueSettings: QueueSettings = {
  maxWaiting: 1_000,
  presentLane: 16,
  presentTripMs: 1_000,
  abortTimeoutMs: 5_000,
  sessionGraceMs: 10_000,
  runtimeLostGraceMs: 30_000,
  refusalMemoryMs: 5_000,
  perRegistry: {},
};

interface Refusal {
  readonly podUid: string;
  readonly image: string;
  readonly untilMs: number;
}

/**
 * Everything that decides which pull runs. *Counted* is the pulls with a place plus the adopted ones.
 *
 * I1 A pull gets a place only while counted is below the limit, so counted exceeds it only after the limit was lowered,
 *    pulls were adopted or granted, or an image verified beside the places turned out to be a download (one at a time, unless sure).
 * I2 Every caller is answered exactly once, or hung up.
 * I3 Of pulls with equal limit and registry, the one that asked first starts first.
 * I4 Every place taken is given back once.
 * I5 No two pulls that can be joined have an equal key.
 * I6 While a place is free and the runtime is there, nobody who may have it waits.
 * I7 Nothing here reads a clock: `nextAtMs` says when `ticked` is due at the latest.
 */
export interface PullQueue {
  readonly settings: QueueSettings;
  /** Pulls at once; 0 is no limit. */
  readonly limit: number;
  readonly running: readonly Pull[];
  /** In order of `(askedAtMs, id)`. */
  readonly waiting: readonly Pull[];
  /** Pulls that run in the runtime and were started by somebody else. */
  readonly adopted: readonly string[];
  readonly refusals: readonly Refusal[];
  readonly lostAtMs: number | undefined;
  readonly paused: boolean;
  readonly draining: boolean;
  readonly nextId: number;
  readonly nextAtMs: number;
}

export interface Asked {
  readonly kind: 'asked';
  readonly key: string;
  readonly image: string;
  readonly registry: string;
  readonly presence: Presence;
  readonly caller: Caller;
}

export type Happened =
  | Asked
  | { readonly kind: 'hungUp'; readonly callerId: number; readonly with: 'call' | 'session' }
  | { readonly kind: 'ended'; readonly pullId: number }
  | { readonly kind: 'limitSet'; readonly limit: number }
  | { readonly kind: 'settingsSet'; readonly settings: QueueSettings }
  | { readonly kind: 'pausedSet'; readonly paused: boolean }
  | { readonly kind: 'runtimeLost' }
  | { readonly kind: 'runtimeBack' }
  | { readonly kind: 'adopted'; readonly ids: readonly string[] }
  | { readonly kind: 'adoptedEnded'; readonly id: string }
  /** Another process, which has taken over and counts for both, says that a waiting pull may run. */
  | { readonly kind: 'granted'; readonly pullId: number }
  | { readonly kind: 'podsGone'; readonly uids: readonly string[] }
  | { readonly kind: 'dropped'; readonly image: string }
  | { readonly kind: 'drained' }
  | { readonly kind: 'ticked' };

export type Answer =
  | { readonly kind: 'ended'; readonly caller: Caller; readonly pull: Pull }
  | { readonly kind: 'refused'; readonly caller: Caller; readonly image: string; readonly reason: RefusalReason };

/** What to do now. `forced` are pulls whose place was freed although they never ended. */
export interface Step {
  readonly queue: PullQueue;
  readonly start: readonly Pull[];
  readonly answer: readonly Answer[];
  readonly abort: readonly Pull[];
  readonly forced: readonly Pull[];
}

/** A queue without pulls, for a runtime that is there. */
export function emptyQueue(limit: number, settings: Partial<QueueSettings> = {}): PullQueue {
  return {
    settings: { ...defaultQueueSettings, ...settings },
    limit,
    running: [],
    waiting: [],
    adopted: [],
    refusals: [],
    lostAtMs: undefined,
    paused: false,
    draining: false,
    nextId: 1,
    nextAtMs: Infinity,
  };
}

/** How many pulls count against the limit. */
export function counted(queue: Pick<PullQueue, 'running' | 'adopted'>): number {
  return queue.running.reduce((sum, pull) => sum + (pull.lane === 'place' ? 1 : 0), queue.adopted.length);
}
