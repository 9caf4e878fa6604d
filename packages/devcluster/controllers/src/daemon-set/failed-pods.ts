import type { Clock } from '@slipway/kube';

const firstMs = 1_000;
const longestMs = 15 * 60_000;

/**
 * When failed pods may be replaced: a pod that the kubelet refuses fails at once, and so will its
 * successor. Each replacement at the same place waits twice as long as the one before, from 1 s up to 15 min;
 * after half an hour without one it starts anew.
 */
export class FailedPods {
  readonly #clock: Clock;
  readonly #last = new Map<string, { readonly atMs: number; readonly waitMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until the pod at this place may be replaced. 0 means now, and counts as a replacement. */
  replace(place: string): number {
    const nowMs = this.#clock.monotonicMs();
    const last = this.#last.get(place);
    if (last && nowMs < last.atMs + last.waitMs) return last.atMs + last.waitMs - nowMs;
    this.#forgetOld(nowMs);
    const isRecent = last !== undefined && nowMs - last.atMs <= 2 * longestMs;
    this.#last.set(place, { atMs: nowMs, waitMs: isRecent ? Math.min(longestMs, 2 * last.waitMs) : firstMs });
    return 0;
  }

  #forgetOld(nowMs: number): void {
    for (const [place, { atMs }] of this.#last) if (nowMs - atMs > 2 * longestMs) this.#last.delete(place);
  }
}
