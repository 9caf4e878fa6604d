import type { Clock, Timer } from '@slipway/kube';

/** Runs `flush` at most once in `everyMs`, and soon after it was asked for. */
export function gather(clock: Clock, everyMs: number, flush: () => void): { ask(): void; cancel(): void } {
  let timer: Timer | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    ask() {
      if (timer) return;
      const waitMs = Math.max(0, lastMs + everyMs - clock.monotonicMs());
      timer = clock.after(waitMs, () => {
        timer = undefined;
        lastMs = clock.monotonicMs();
        flush();
      });
    },
    cancel() {
      timer?.cancel();
    },
  };
}
