import type { PullClock } from '../limiter/clock.js';

/** Where a limit comes from: `bypass`, `manual`, `cluster`, `configuration` or the path of a kubelet's file. */
export type LimitSource = string;

/** A limit that was set while the daemon runs. */
export interface RuntimeLimit {
  readonly limit: number;
  /** Milliseconds until it expires. Without it the limit holds until the configuration is read again. */
  readonly forMs?: number;
}

/** Who can set a limit while the daemon runs: a person, or the cluster that the node belongs to. */
export type LimitSetter = 'manual' | 'cluster';

/** A person on the node takes precedence over the cluster. */
const setters: readonly LimitSetter[] = ['manual', 'cluster'];

interface SetLimit {
  readonly limit: number;
  readonly untilMs: number | undefined;
  readonly timer: { cancel(): void } | undefined;
}

/** Chooses the limit that applies: none while bypassed, else the one set by hand, else that of the cluster, else the configured one. */
export class ChosenLimit {
  readonly #clock: PullClock;
  readonly #apply: (limit: number, source: LimitSource) => void;
  readonly #set = new Map<LimitSetter, SetLimit>();
  #configured: { readonly limit: number; readonly source: LimitSource };
  #applied: { readonly limit: number; readonly source: LimitSource };
  #bypassed = false;

  constructor(options: {
    readonly clock: PullClock;
    readonly limit: number;
    readonly source: LimitSource;
    /** Called when the limit or its source changes. */
    readonly apply: (limit: number, source: LimitSource) => void;
  }) {
    this.#clock = options.clock;
    this.#apply = options.apply;
    this.#configured = options;
    this.#applied = options;
  }

  configured(limit: number, source: LimitSource): void {
    this.#configured = { limit, source };
    for (const [setter, { untilMs }] of this.#set) if (untilMs === undefined) this.#set.delete(setter);
    this.#choose();
  }

  /** Sets a limit, or replaces the one that the same setter set before. */
  set(setter: LimitSetter, { limit, forMs }: RuntimeLimit): void {
    this.#set.get(setter)?.timer?.cancel();
    const timer = forMs === undefined ? undefined : this.#clock.after(forMs, () => this.withdraw(setter));
    const untilMs = forMs === undefined ? undefined : this.#clock.monotonicMs() + forMs;
    this.#set.set(setter, { limit, untilMs, timer });
    this.#choose();
  }

  withdraw(setter: LimitSetter): void {
    this.#set.get(setter)?.timer?.cancel();
    this.#set.delete(setter);
    this.#choose();
  }

  /** The limit that was set, and how long it still applies. */
  setBy(setter: LimitSetter): RuntimeLimit | undefined {
    const set = this.#set.get(setter);
    if (!set) return undefined;
    const { limit, untilMs } = set;
    return { limit, ...(untilMs !== undefined && { forMs: untilMs - this.#clock.monotonicMs() }) };
  }

  bypass(on: boolean): void {
    this.#bypassed = on;
    this.#choose();
  }

  close(): void {
    for (const { timer } of this.#set.values()) timer?.cancel();
  }

  #choose(): void {
    const { limit, source } = this.#choice();
    if (limit === this.#applied.limit && source === this.#applied.source) return;
    this.#applied = { limit, source };
    this.#apply(limit, source);
  }

  #choice(): { readonly limit: number; readonly source: LimitSource } {
    if (this.#bypassed) return { limit: 0, source: 'bypass' };
    const setter = setters.find((one) => this.#set.has(one));
    const set = setter && this.#set.get(setter);
    return set ? { limit: set.limit, source: setter } : this.#configured;
  }
}
