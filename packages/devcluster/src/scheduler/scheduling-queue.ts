import type { Clock, Timer } from '@slipway/kube';

const firstBackoffMs = 1_000;
const maxBackoffMs = 10_000;

interface Parked {
  readonly priority: number;
  readonly attempts: number;
  /** Not tried again before this moment, whatever happens. */
  readonly notBeforeMs: number;
}

/**
 * Pods that wait for a node. Higher priority first, then first come, first served.
 * A pod that fitted nowhere is parked until something changes that might help it,
 * and after each failure for a while longer: 1 s, doubling up to 10 s.
 */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #onReady: () => void;
  readonly #active = new Map<number, Set<string>>();
  readonly #priorities = new Map<string, number>();
  readonly #parked = new Map<string, Parked>();
  readonly #attempts = new Map<string, number>();
  readonly #backingOff = new Map<string, Timer>();

  /** `onReady` is called when a pod can be taken that could not before. */
  constructor(clock: Clock, onReady: () => void) {
    this.#clock = clock;
    this.#onReady = onReady;
  }

  /** A pod wants a node. Does nothing for one that waits already. */
  add(key: string, priority: number): void {
    if (this.#priorities.has(key) || this.#parked.has(key)) return;
    this.#activate(key, priority);
  }

  /** A parked pod itself changed: worth a try at once. */
  changed(key: string, priority: number): void {
    this.#unpark(key);
    this.add(key, priority);
  }

  /** The next pod to place, which then no longer waits. */
  take(): string | undefined {
    let highest: number | undefined;
    for (const priority of this.#active.keys())
      highest = highest === undefined ? priority : Math.max(highest, priority);
    const [key] = (highest !== undefined && this.#active.get(highest)) || [];
    if (key !== undefined) this.#deactivate(key);
    return key;
  }

  /** No node could take the pod, or binding failed. */
  park(key: string, priority: number): void {
    const attempts = (this.#attempts.get(key) ?? 0) + 1;
    this.#attempts.set(key, attempts);
    const backoffMs = Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(attempts - 1, 10));
    this.#parked.set(key, { priority, attempts, notBeforeMs: this.#clock.monotonicMs() + backoffMs });
  }

  /** Something in the cluster changed: parked pods may fit now. */
  retryParked(): void {
    for (const key of [...this.#parked.keys()]) this.retry(key);
  }

  /** Tries one parked pod again, once its backoff is over. */
  retry(key: string): void {
    const parked = this.#parked.get(key);
    if (!parked || this.#backingOff.has(key)) return;
    const waitMs = parked.notBeforeMs - this.#clock.monotonicMs();
    const activate = () => {
      this.#unpark(key);
      this.#activate(key, parked.priority);
    };
    if (waitMs <= 0) activate();
    else this.#backingOff.set(key, this.#clock.after(waitMs, activate));
  }

  /** The pod is gone or has a node. */
  forget(key: string): void {
    this.#deactivate(key);
    this.#unpark(key);
    this.#attempts.delete(key);
  }

  /** Cancels every timer. */
  close(): void {
    for (const timer of this.#backingOff.values()) timer.cancel();
    this.#backingOff.clear();
  }

  #activate(key: string, priority: number): void {
    const peers = this.#active.get(priority) ?? new Set<string>();
    this.#active.set(priority, peers.add(key));
    this.#priorities.set(key, priority);
    this.#onReady();
  }

  #deactivate(key: string): void {
    const priority = this.#priorities.get(key);
    if (priority === undefined) return;
    this.#priorities.delete(key);
    const peers = this.#active.get(priority);
    peers?.delete(key);
    if (peers?.size === 0) this.#active.delete(priority);
  }

  #unpark(key: string): void {
    this.#parked.delete(key);
    this.#backingOff.get(key)?.cancel();
    this.#backingOff.delete(key);
  }
}
