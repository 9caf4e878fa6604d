import { type AdminClient, adminClient, type DaemonState } from '@slipway/image-pulls';
import type { Clock } from '@slipway/kube';
import { printable } from '@slipway/safe-yaml/printable';
import { type Problem, problemOf } from './problem.js';
import { Repeated } from './repeated.js';

/** Where a pull limiter is steered: on this machine, or on a node whose socket is forwarded to it. */
export interface LimiterAddress {
  readonly name: string;
  /** Path of its admin socket. */
  readonly socket: string;
  /** Path of its journal, if that can be read here. */
  readonly journal?: string | undefined;
  /** Not named by the user, so that its absence is not a problem. */
  readonly isAssumed?: boolean;
}

const everyMs = 500;

/** A pull limiter, asked again and again while a page wants to know. */
export class Limiter {
  readonly address: LimiterAddress;
  readonly admin: AdminClient;
  readonly #repeated: Repeated;
  #state: DaemonState | undefined;
  #problem: Problem | undefined;
  #readAtMs = 0;

  constructor(address: LimiterAddress, clock: Clock) {
    // Pages ask for it by the name that they were sent.
    this.address = { ...address, name: printable(address.name) };
    this.admin = adminClient(address.socket);
    this.#repeated = new Repeated(clock, everyMs, async () => {
      try {
        this.#state = await this.admin.state();
        this.#readAtMs = clock.now();
        this.#problem = undefined;
      } catch (error) {
        this.#problem = problemOf(error);
      }
      return true;
    });
  }

  /** Its last answer. */
  get state(): DaemonState | undefined {
    return this.#state;
  }

  /** Wall-clock time of its last answer. */
  get readAtMs(): number {
    return this.#readAtMs;
  }

  /** Why it does not answer; undefined while it does. */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** Calls `listener` after each answer and each failure to get one, until it is closed. */
  onAnswer(listener: () => void): { close(): void } {
    return this.#repeated.onChange(listener);
  }
}
