/**
 * Whether the runtime has an image already. Of a digest that is `sure`, because it never means anything else; of a tag
 * it is only `likely`: it may have moved at the registry since, and then pulling it is a download. `recent` is a tag
 * that the registry confirmed a moment ago.
 */
export type Presence = 'absent' | 'likely' | 'recent' | 'sure';

/** Why a caller was answered without a pull. One word for error, metric and log. */
export type RefusalReason =
  | 'TooManyPullingInParallel'
  | 'QueueFull'
  | 'PodGone'
  | 'RuntimeAway'
  | 'Draining'
  | 'Dropped'
  | 'Stalled';

/** One PullImage call. Times are monotonic milliseconds. */
export interface Caller {
  readonly id: number;
  /** The pod it pulls for, when the call says so. */
  readonly podUid?: string | undefined;
  readonly askedAtMs: number;
  /** When it is refused if it still waits; `Infinity` waits without a limit, `askedAtMs` does not wait. */
  readonly giveUpAtMs: number;
  /** The call's own `maxParallelImagePulling`. It can only tighten the limit; 0 has no effect. */
  readonly limit: number;
  /** Above 0 the caller starts only at its looks, this many milliseconds apart, instead of when a slot gets free. */
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
  /** Of its first caller; with `id` it is the position in the queue, and joining never changes it. */
  readonly askedAtMs: number;
  readonly callers: readonly Caller[];
  readonly startedAtMs?: number;
  /** Only a `place` counts against the limit: images that are there are verified beside them, and a stalled pull may be `released`. */
  readonly lane: 'place' | 'present' | 'released';
  /** Since when no byte of it came, as far as can be seen. */
  readonly stalledAtMs?: number;
  /** Set when its last caller hung up and the runtime was told to stop. The slot is held until it did. */
  readonly abandonedAtMs?: number;
  /** Set when its callers were lost with their connection: how long it is kept for them to come back. */
  readonly keepUntilMs?: number;
}

/** Constants of a queue. Times in milliseconds. */
export interface QueueSettings {
  /** How many pulls may wait; joining one that waits is always possible. */
  readonly maxWaiting: number;
  /** How many digests and recent tags may be verified beside the slots at once; of other tags it is one. */
  readonly presentLane: number;
  /** A tag verified beside the slots that takes longer is taken for a download, and stopped. */
  readonly presentTripMs: number;
  /** How long a slot is held for an abandoned pull that does not end. */
  readonly abortTimeoutMs: number;
  /** How long a pull outlives the connection of its callers. */
  readonly sessionGraceMs: number;
  /** How long callers wait for a runtime that is away. */
  readonly runtimeLostGraceMs: number;
  /** How long a refusal is remembered, so that a caller that tries its credentials in turn waits once. */
  readonly refusalMemoryMs: number;
  /** Pulls at once per registry host, `default` for all others; 0 or absent means uncapped. */
  readonly perRegistry: Readonly<Record<string, number>>;
  /** What happens to a pull that stalls: it is only shown, its slot is given to the next, or it is stopped and refused. */
  readonly onStall: 'report' | 'release' | 'cancel';
}

export const defaultQueueSettings: QueueSettings = {
  maxWaiting: 1_000,
  presentLane: 16,
  presentTripMs: 2_000,
  abortTimeoutMs: 5_000,
  sessionGraceMs: 10_000,
  runtimeLostGraceMs: 30_000,
  refusalMemoryMs: 5_000,
  perRegistry: {},
  onStall: 'report',
};

interface Refusal {
  readonly podUid: string;
  readonly image: string;
  readonly untilMs: number;
}

/**
 * Everything that decides which pull runs. *Counted* is the pulls with a slot plus the adopted ones.
 *
 * I1 A pull gets a slot only while counted is below the limit. So counted exceeds it only after the limit was lowered or
 *    pulls were adopted or granted; while a stopped verification of a moved tag ends; and by released pulls that move again.
 * I2 Every caller is answered exactly once, or hung up.
 * I3 Of pulls with equal limit and registry, the one that asked first starts first.
 * I4 Every slot taken is given back once.
 * I5 No two pulls that can be joined have an equal key.
 * I6 While a slot is free and the runtime is there, no caller that may have it waits.
 * I7 Nothing here reads a clock: `nextAtMs` says when `ticked` is due at the latest.
 */
export interface PullQueue {
  readonly settings: QueueSettings;
  /** Pulls at once; 0 means unlimited. */
  readonly limit: number;
  readonly running: readonly Pull[];
  /** In order of `(askedAtMs, id)`. */
  readonly waiting: readonly Pull[];
  /** Whether an image may be there of which a pull waits. True too long does no harm: it only looks through the queue. */
  readonly someThere: boolean;
  /** Pulls that run in the runtime and were started by another client. */
  readonly adopted: readonly string[];
  readonly refusals: readonly Refusal[];
  readonly lostAtMs: number | undefined;
  readonly paused: boolean;
  /** Whether another process, which is taking over, decides what starts here. */
  readonly governed: boolean;
  readonly draining: boolean;
  readonly nextId: number;
  readonly nextAtMs: number;
}

/** A call arrives. */
export interface Asked {
  readonly kind: 'asked';
  readonly key: string;
  readonly image: string;
  readonly registry: string;
  readonly presence: Presence;
  readonly caller: Caller;
  /** Whether it waits in another process already, so that it is not refused because this queue is full. */
  readonly isAccepted?: boolean | undefined;
}

/** A call is cancelled, or its connection is lost. */
export interface HungUp {
  readonly kind: 'hungUp';
  readonly callerId: number;
  readonly with: 'call' | 'session';
}

/** No byte of a pull came for too long. */
export interface Stalled {
  readonly kind: 'stalled';
  readonly pullId: number;
  readonly idleMs: number;
}

/** Something happened to a pull that runs. */
export type RunningEvent =
  | { readonly kind: 'ended'; readonly pullId: number }
  /** It was to be verified beside the slots, and was seen to fetch something. */
  | { readonly kind: 'downloads'; readonly pullId: number }
  | Stalled
  /** Bytes of one that stalled come again. */
  | { readonly kind: 'moved'; readonly pullId: number };

/** A condition under which pulls run has changed. */
export type ConditionEvent =
  | { readonly kind: 'limitSet'; readonly limit: number }
  | { readonly kind: 'settingsSet'; readonly settings: QueueSettings }
  | { readonly kind: 'pausedSet'; readonly paused: boolean }
  | { readonly kind: 'governedSet'; readonly governed: boolean }
  | { readonly kind: 'runtimeLost' }
  | { readonly kind: 'runtimeBack' }
  | { readonly kind: 'adopted'; readonly ids: readonly string[] }
  | { readonly kind: 'adoptedEnded'; readonly id: string }
  | { readonly kind: 'drained' };

/** A user drops callers that wait. */
export type RefusalEvent =
  /** The process that governs this queue refuses a pull. */
  | { readonly kind: 'denied'; readonly pullId: number; readonly reason: RefusalReason }
  | { readonly kind: 'podsGone'; readonly uids: readonly string[] }
  | { readonly kind: 'dropped'; readonly image: string };

export type QueueEvent =
  | Asked
  | HungUp
  | RunningEvent
  | ConditionEvent
  | RefusalEvent
  /** The process that governs this queue starts a waiting pull. */
  | { readonly kind: 'granted'; readonly pullId: number }
  | { readonly kind: 'ticked' };

export type Answer =
  | { readonly kind: 'ended'; readonly caller: Caller; readonly pull: Pull }
  | {
      readonly kind: 'refused';
      readonly caller: Caller;
      readonly image: string;
      readonly reason: RefusalReason;
      /** How long no byte came, of one that stalled. */
      readonly idleMs?: number;
    };

/** A queue without pulls, for a runtime that is there. */
export function emptyQueue(limit: number, settings: Partial<QueueSettings> = {}): PullQueue {
  return {
    settings: { ...defaultQueueSettings, ...settings },
    limit,
    running: [],
    waiting: [],
    someThere: false,
    adopted: [],
    refusals: [],
    lostAtMs: undefined,
    paused: false,
    governed: false,
    draining: false,
    nextId: 1,
    nextAtMs: Infinity,
  };
}

/** Counts the pulls that count against the limit. */
export function counted(queue: Pick<PullQueue, 'running' | 'adopted'>): number {
  return queue.running.reduce((sum, pull) => sum + (pull.lane === 'place' ? 1 : 0), queue.adopted.length);
}
