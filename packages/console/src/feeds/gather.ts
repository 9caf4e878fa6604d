import type { Clock, Timer } from '@slipway/kube';

/**
 * Runs `flush` soon after it was asked for, and at most once in `everyMs`.
 * @param flush returns false when it could not do its work yet, which then does not wait after what it needs has come
 */
export function gather(clock: Clock, everyMs: number, flush: () => boolean): { ask(): void; cancel(): void } {
  let timer: Timer | undefined;
  let doneMs = Number.NEGATIVE_INFINITY;
  return {
    ask() {
      if (timer) return;
      const waitMs = Math.max(0, doneMs + everyMs - clock.monotonicMs());
      timer = clock.after(waitMs, () => {
        timer = undefined;
        if (flush()) doneMs = clock.monotonicMs();
      });
    },
    cancel() {
      timer?.cancel();
    },
  };
}
