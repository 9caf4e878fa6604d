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

/**
 * The same until `signal` aborts.
 * @param watch is given what to call for each change, and returns what is closed in the end
 */
export function gatherUntil(
  signal: AbortSignal,
  clock: Clock,
  everyMs: number,
  flush: (ask: () => void) => boolean,
  watch: (ask: () => void) => readonly { close(): void }[],
): void {
  const flushing = gather(clock, everyMs, () => !signal.aborted && flush(flushing.ask));
  const watched = watch(flushing.ask);
  signal.addEventListener('abort', () => {
    for (const each of watched) each.close();
    flushing.cancel();
  });
}
