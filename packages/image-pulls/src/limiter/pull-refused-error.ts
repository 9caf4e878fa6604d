import type { RefusalReason } from './queue-state.js';

/** A pull was not started. `reason` is the word that metrics, logs and trailers carry too. */
export class PullRefusedError extends Error {
  override readonly name = 'PullRefusedError';
  readonly reason: RefusalReason;
  readonly waitedMs: number;

  constructor(reason: RefusalReason, about: RefusedPull) {
    super(textOf[reason]({ ...about, waited: seconds(about.waitedMs), idle: seconds(about.idleMs) }));
    this.reason = reason;
    this.waitedMs = about.waitedMs;
  }
}

/** What is known of a pull that was refused, and of the others. */
interface RefusedPull {
  readonly waitedMs: number;
  readonly counted: number;
  readonly limit: number;
  readonly registry: string;
  /** How long no byte came, of one that stalled. */
  readonly idleMs: number;
}

/**
 * The first word is what the proposal calls the error; a kubelet shows the text as it
 * is and tells errors apart by such prefixes. Images of others are not named.
 */
const textOf: Readonly<Record<RefusalReason, (about: RefusedPull & { waited: string; idle: string }) => string>> = {
  TooManyPullingInParallel: ({ counted, limit, waited }) =>
    `TooManyPullingInParallelErr: ${counted} of ${limit} image pulls are running on this node, and none ended within ${waited}`,
  QueueFull: ({ counted, limit }) =>
    `TooManyPullingInParallelErr: ${counted} of ${limit} image pulls are running on this node, and the queue behind them is full`,
  PodGone: () => 'the pod that this image was pulled for is gone',
  RuntimeAway: ({ waited }) => `the container runtime has been away for ${waited}`,
  Draining: () => 'the image pull limiter is stopping',
  Dropped: ({ waited }) => `the pull was dropped by hand after waiting ${waited}`,
  Stalled: ({ idle, registry }) => `RegistryUnavailable: no bytes for ${idle} from ${registry}`,
};

/** Whether another process names a reason that is known here. */
export function isRefusalReason(reason: string): reason is RefusalReason {
  return Object.hasOwn(textOf, reason);
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)}s`;
}
