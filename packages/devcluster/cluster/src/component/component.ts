import type { FeatureGate } from '@slipway/feature-gates';
import { inTurn } from '@slipway/kube';

/** One run of a component, from start to stop. A `Manager` of `@slipway/kube` is one. */
export interface ComponentRun {
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface ComponentOptions {
  /** Such as `kube-controller-manager`. */
  readonly name: string;
  /** Which of them: a node or pod name. */
  readonly instance: string;
  /** Makes the gate of one run, with the gates of the component registered and nothing set. */
  readonly makeGate: () => FeatureGate;
  /** What runs while the component is started; asked anew for each run. */
  readonly run: (gate: FeatureGate) => ComponentRun;
  /** Starts to report the gate's values and to follow published ones. Must not throw or block. */
  readonly report?: (gate: FeatureGate) => { stop(): Promise<void> };
  /**
   * How long a start waits for published values, so that they count from the first read on. Not at
   * all when absent: who serves the API cannot ask it before.
   */
  readonly syncMs?: number;
}

/**
 * A component of the control plane as an operator sees it: it can be restarted,
 * with some of its gates pinned on its command line or without.
 *
 * Starting, stopping and restarting happen one after the other, however they are called.
 */
export class Component {
  readonly name: string;
  readonly instance: string;
  readonly #options: ComponentOptions;
  #gate: FeatureGate;
  #run: ComponentRun | undefined;
  #reporting: { stop(): Promise<void> } | undefined;
  readonly #inTurn = inTurn();
  #pin = '';

  constructor(options: ComponentOptions) {
    this.name = options.name;
    this.instance = options.instance;
    this.#options = options;
    this.#gate = options.makeGate();
  }

  /** The gate of the run that is or was last started. */
  get gate(): FeatureGate {
    return this.#gate;
  }

  /** The `--feature-gates` flag of the run that is or was last started; '' for none. */
  get pin(): string {
    return this.#pin;
  }

  /**
   * Starts it. `pin` is the value of its `--feature-gates` flag.
   * @throws FeatureGateError when the flag is refused; nothing has changed then.
   */
  start(options: { readonly pin?: string | undefined } = {}): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#run) await this.#start(this.#gateWith(options.pin), options.pin);
    });
  }

  /** Stops it and takes its report back. */
  stop(): Promise<void> {
    return this.#inTurn(() => this.#stop());
  }

  /**
   * Stops and starts it with another `--feature-gates` flag; without `pin` nothing is pinned any more.
   * @throws FeatureGateError when the flag is refused; it runs on as it was then.
   */
  restart(options: { readonly pin?: string | undefined } = {}): Promise<void> {
    return this.#inTurn(async () => {
      const gate = this.#gateWith(options.pin);
      await this.#stop();
      await this.#start(gate, options.pin);
    });
  }

  #gateWith(pin: string | undefined): FeatureGate {
    const gate = this.#options.makeGate();
    if (pin) gate.set(pin);
    return gate;
  }

  async #start(gate: FeatureGate, pin = ''): Promise<void> {
    this.#gate = gate;
    this.#pin = pin;
    const { run, report, syncMs } = this.#options;
    if (syncMs !== undefined) {
      this.#reporting = report?.(gate);
      await gate.sync({ timeoutMs: syncMs });
    }
    this.#run = run(gate);
    await this.#run.start();
    this.#reporting ??= report?.(gate);
  }

  async #stop(): Promise<void> {
    const [run, reporting] = [this.#run, this.#reporting];
    this.#run = undefined;
    this.#reporting = undefined;
    await Promise.all([reporting?.stop(), run?.stop()]);
  }
}
