import type { RefusalReason } from './queue-state.js';

/** A pull was not started. `reason` is the word that metrics, logs and trailers carry too. */
export class PullRefusedError extends Error {
  override readonly name = 'PullRefusedError';
  readonly reason: RefusalReason;
  readonly waitedMs: number;

  constructor(reason: RefusalReason, about: { waitedMs: number; counted: number; limit: number }) {
    super(textOf[reason](about.counted, about.limit, `${Math.round(about.waitedMs / 1_000)}s`));
    this.reason = reason;
    this.waitedMs = about.waitedMs;
  }
}

/**
 * The first word is what the proposal calls the error; a kubelet shows the text as it
 * is and tells errors apart by such prefixes. Images of others are not named.
 */
const textOf: Readonly<Record<RefusalReason, (counted: number, limit: number, waited: string) => string>> = {
  TooManyPullingInParallel: (counted, limit, waited) =>
    `TooManyPullingInParallelErr: ${counted} of ${limit} image pulls are running on this node, and none ended within ${waited}`,
  QueueFull: (counted, limit) =>
    `TooManyPullingInParallelErr: ${counted} of ${limit} image pulls are running on this node, and the queue behind them is full`,
  PodGone: () => 'the pod that this image was pulled for is gone',
  RuntimeAway: (_counted, _limit, waited) => `the container runtime has been away for ${waited}`,
  Draining: () => 'the image pull limiter is stopping',
  Dropped: (_counted, _limit, waited) => `the pull was dropped by hand after waiting ${waited}`,
};
