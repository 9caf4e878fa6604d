/** From one start of a container to its end. */
export interface Life {
  /** How often the container was restarted before. */
  readonly restarts: number;
  readonly startedAtMs: number;
  /** Infinity when it runs on. */
  readonly endedAtMs: number;
  /** How long it has to wait after its end before it is started again; Infinity when it is not. */
  readonly backOffMs: number;
  /** It did not end by itself. */
  readonly wasInterrupted?: true;
  /** The first one with its image, which was another one before. */
  readonly hasNewImage?: true;
  /** With what it ended, where that was not known in advance. */
  readonly exitCode?: number;
  /** What it left for its status. */
  readonly message?: string;
}

/** The end of one life that was not known in advance: its program ended, or a client told it to. */
export interface ToldExit {
  /** Which life it ends: how often the container was restarted before. */
  readonly restarts: number;
  readonly atMs: number;
  readonly code: number;
  /** What it left for its status. */
  readonly message?: string;
  /** Whether the container is started again after it. */
  readonly isRestarted: boolean;
}

/** A stop of a container that runs, which is started again. */
export interface Interruption {
  readonly atMs: number;
  /** When it is started again; Infinity while that is not known. */
  readonly resumesAtMs: number;
  /** It was given another image, which it has to have first. */
  readonly isForImage?: true;
}

/** Why and when a container that runs ends. */
export interface LifeCourse {
  readonly firstStartMs: number;
  /** How long each life lasts; Infinity when it does not end by itself. */
  readonly lastsMs: number;
  /** Whether it is started again after it ended. */
  readonly isRestarted: boolean;
  /** When it was stopped to be started again, in order: because it was resized, say. */
  readonly interruptions?: readonly Interruption[];
  /** The ends that were not known in advance, in order. */
  readonly exits?: readonly ToldExit[];
  /** How often it was restarted before its first start known here. */
  readonly restartsBefore?: number;
}

const firstBackOffMs = 10_000;
const longestBackOffMs = 5 * 60_000;
/** A container that ran for this long is forgiven what happened before. */
const forgivenAfterMs = 2 * longestBackOffMs;

/**
 * The lives of a container, one after the other. As with a kubelet, the first restart
 * comes at once; each one after that waits twice as long as the one before, from 10 s up to 5 min,
 * until the container has run for 10 min. One that is interrupted begins anew without waiting.
 */
export function* livesOf(course: LifeCourse): Generator<Life> {
  const { firstStartMs, lastsMs, interruptions = [], exits = [], restartsBefore = 0 } = course;
  const toCome = [...interruptions];
  let startedAtMs = firstStartMs;
  let backOffMs = 0;
  let newImage: Pick<Life, 'hasNewImage'> = {};
  for (let restarts = restartsBefore; Number.isFinite(startedAtMs); restarts++) {
    const exit = exits.find((each) => each.restarts === restarts);
    const endedAtMs = exit?.atMs ?? startedAtMs + lastsMs;
    while (toCome[0] && toCome[0].atMs < startedAtMs) toCome.shift();
    if (toCome[0] && toCome[0].atMs < endedAtMs) {
      const { atMs, resumesAtMs, isForImage } = toCome.shift() as Interruption;
      const waitsMs = resumesAtMs - atMs;
      yield { restarts, startedAtMs, endedAtMs: atMs, backOffMs: waitsMs, wasInterrupted: true, ...newImage };
      startedAtMs = resumesAtMs;
      backOffMs = 0;
      newImage = isForImage ? { hasNewImage: true } : {};
      continue;
    }
    if (endedAtMs - startedAtMs > forgivenAfterMs) backOffMs = 0;
    const { isRestarted } = exit ?? course;
    const waitsMs = isRestarted ? backOffMs : Number.POSITIVE_INFINITY;
    yield { restarts, startedAtMs, endedAtMs, backOffMs: waitsMs, ...newImage, ...(exit && endOf(exit)) };
    newImage = {};
    startedAtMs = isRestarted ? endedAtMs + backOffMs : Number.POSITIVE_INFINITY;
    backOffMs = backOffMs === 0 ? firstBackOffMs : Math.min(longestBackOffMs, 2 * backOffMs);
  }
}

function endOf({ code, message }: ToldExit): Pick<Life, 'exitCode' | 'message'> {
  return { exitCode: code, ...(message !== undefined && { message }) };
}

/** What a container does at one moment. */
export interface LifeNow {
  readonly state: 'unborn' | 'running' | 'interrupted' | 'backing-off' | 'ended';
  /** The life that it is in or was in last; undefined while it has not started. */
  readonly life: Life | undefined;
  /** The life before that. */
  readonly previous: Life | undefined;
  /** When this changes next; Infinity when it stays so. */
  readonly untilMs: number;
}

/** Returns the state of a container at `atMs`. A change at exactly that time has happened. */
export function lifeAt(course: LifeCourse, atMs: number): LifeNow {
  const { firstStartMs } = course;
  if (atMs < firstStartMs) return { state: 'unborn', life: undefined, previous: undefined, untilMs: firstStartMs };
  let previous: Life | undefined;
  for (const life of livesOf(course)) {
    if (atMs < life.endedAtMs) return { state: 'running', life, previous, untilMs: life.endedAtMs };
    const nextAtMs = life.endedAtMs + life.backOffMs;
    if (life.wasInterrupted && atMs < nextAtMs) return { state: 'interrupted', life, previous, untilMs: nextAtMs };
    if (nextAtMs === Number.POSITIVE_INFINITY) return { state: 'ended', life, previous, untilMs: nextAtMs };
    if (atMs < nextAtMs) return { state: 'backing-off', life, previous, untilMs: nextAtMs };
    previous = life;
  }
  return { state: 'unborn', life: undefined, previous: undefined, untilMs: Number.POSITIVE_INFINITY };
}
