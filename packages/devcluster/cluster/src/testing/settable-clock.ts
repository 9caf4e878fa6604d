import { ManualClock } from '@slipway/kube/testing';

/** Wall-clock time that can be set; time that passes is not touched by that. */
export class SettableClock extends ManualClock {
  #offMs = 0;

  override now(): number {
    return super.now() + this.#offMs;
  }

  set(byMs: number): void {
    this.#offMs += byMs;
  }
}
