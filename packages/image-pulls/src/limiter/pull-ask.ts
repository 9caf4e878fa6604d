import type { OnFull } from './on-full.js';
import type { Presence, Pull } from './queue-state.js';

/** The pod that a call is for, as far as its caller said. */
export interface CallingPod {
  readonly podUid?: string | undefined;
  /** As `namespace/name`; for people. */
  readonly pod?: string | undefined;
}

/** One call for an image. Calls with an equal key share one `run` and its outcome. */
export interface PullAsk<T> extends CallingPod {
  readonly key: string;
  readonly image: string;
  readonly registry: string;
  readonly presence: Presence;
  readonly onFull: OnFull;
  /** The call's own limit; 0 has no effect. It only tightens. */
  readonly limit: number;
  /** When the call arrived, if that was before now; its position in the queue counts from there. */
  readonly askedAtMs?: number;
  /** Whether it was accepted by another process, and is not refused because this queue is full. */
  readonly isAccepted?: boolean;
  /** Lets the runtime pull. Must end soon after the signal aborts: the slot is held until it did. */
  run(signal: AbortSignal, pull: StartedPull): Promise<T>;
}

/** What a pull is told of itself when it starts. */
export type StartedPull = Pick<Pull, 'id' | 'lane' | 'presence'>;

/** The reason to abort a call's signal with when its connection is lost, so that it can return to its pull or its position. */
export const sessionLost = Symbol('session lost');
