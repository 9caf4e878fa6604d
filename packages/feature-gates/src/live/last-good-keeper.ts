import { type GateClock, withinTime } from '../uses/clock.js';
import { fieldOf, type GateTransport } from '../uses/transport.js';
import { type LastGood, readLastGood, writeLastGood } from './last-good.js';
import type { Published } from './published.js';

const requestMs = 5_000;
const askAgainMs = 300_000;
const saveAgainMs = 24 * 3_600_000;

/**
 * Keeps the values in effect in a file that belongs to one cluster. Its age counts
 * from when the API was last heard of, so a process that runs for long confirms it daily.
 */
export class LastGoodKeeper {
  readonly #path: string;
  readonly #transport: GateTransport;
  readonly #clock: GateClock;
  readonly #log: (line: string) => void;
  readonly #signal: AbortSignal;
  #clusterUid: string | undefined;
  #askedMs = Number.NEGATIVE_INFINITY;
  #values: ReadonlyMap<string, Published> | undefined;

  constructor(
    path: string,
    api: { readonly transport: GateTransport; readonly clock: GateClock },
    log: (line: string) => void,
    signal: AbortSignal,
  ) {
    this.#path = path;
    this.#transport = api.transport;
    this.#clock = api.clock;
    this.#log = log;
    this.#signal = signal;
  }

  read(): LastGood | undefined {
    return readLastGood(this.#path, this.#clock.now());
  }

  /** `metadata.uid` of the namespace kube-system; undefined while it cannot be learned. */
  async clusterUid(): Promise<string | undefined> {
    const tooSoon = this.#clock.monotonicMs() - this.#askedMs < askAgainMs;
    if (this.#clusterUid === undefined && !tooSoon) this.#clusterUid = await this.#askClusterUid();
    return this.#clusterUid;
  }

  /** Saves the values if they differ from those saved. A disk that refuses is logged, no more. */
  async save(values: ReadonlyMap<string, Published>): Promise<void> {
    if (this.#values && sameValues(this.#values, values)) return;
    if (await this.#write(values)) this.#confirmDaily();
  }

  async #write(values: ReadonlyMap<string, Published>): Promise<boolean> {
    const clusterUid = this.#clusterUid;
    if (clusterUid === undefined) return false;
    const first = this.#values === undefined;
    this.#values = values;
    try {
      await writeLastGood(this.#path, { clusterUid, savedAtMs: this.#clock.now(), values });
    } catch (error) {
      this.#log(`published feature values cannot be kept: ${error instanceof Error ? error.message : String(error)}`);
    }
    return first;
  }

  #confirmDaily(): void {
    if (this.#signal.aborted) return;
    const timer = this.#clock.after(saveAgainMs, () => {
      this.#signal.removeEventListener('abort', cancel);
      void this.#confirm().then(() => this.#confirmDaily());
    });
    const cancel = () => timer.cancel();
    this.#signal.addEventListener('abort', cancel, { once: true });
  }

  async #confirm(): Promise<void> {
    const heard = (await this.#askClusterUid()) !== undefined;
    if (heard && this.#values) await this.#write(this.#values);
  }

  async #askClusterUid(): Promise<string | undefined> {
    this.#askedMs = this.#clock.monotonicMs();
    try {
      const answer = await withinTime(this.#clock, requestMs, this.#signal, (signal) =>
        this.#transport.request({ method: 'GET', path: '/api/v1/namespaces/kube-system', signal }),
      );
      const uid = fieldOf(answer.body, 'metadata', 'uid');
      return answer.status === 200 && typeof uid === 'string' ? uid : undefined;
    } catch {
      return undefined;
    }
  }
}

function sameValues(a: ReadonlyMap<string, Published>, b: ReadonlyMap<string, Published>): boolean {
  return JSON.stringify([...a]) === JSON.stringify([...b]);
}
