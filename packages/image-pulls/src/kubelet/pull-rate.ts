/** `registryPullQPS` and `registryBurst` of a KubeletConfiguration. */
export interface PullRate {
  /** Pulls a second; 0 means unlimited. */
  readonly qps: number;
  readonly burst: number;
}

/** What a kubelet does when its configuration says nothing. */
export const defaultPullRate: PullRate = { qps: 5, burst: 10 };

/**
 * A token bucket, as kubelets have one beside the limit of pulls at once: it counts requests, not what is under way,
 * and refuses instead of making wait. Times are monotonic milliseconds.
 */
export class PullBucket {
  #tokens: number | undefined;
  #atMs = 0;

  /** Whether one more pull may be asked for now. */
  take({ qps, burst }: PullRate, nowMs: number): boolean {
    if (qps <= 0) return true;
    const tokens = this.#tokens === undefined ? burst : this.#tokens + ((nowMs - this.#atMs) * qps) / 1_000;
    this.#tokens = Math.min(burst, tokens);
    this.#atMs = nowMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
