import {
  ErrorCode,
  OpenFeatureEventEmitter,
  type Provider,
  ProviderEvents,
  type ResolutionDetails,
  StandardResolutionReasons,
} from '@openfeature/server-sdk';
import type { FeatureGate, GateState } from '@slipway/feature-gates';

export interface SlipwayProviderOptions {
  /** The gate of this process, with everything registered and its flags set. */
  readonly gate: FeatureGate;
  /** How long `initialize` waits for published values, in milliseconds; 5,000 when absent. */
  readonly syncTimeoutMs?: number | undefined;
}

/**
 * Lets an application read the gates of its process through OpenFeature.
 *
 * Gates are booleans: any other type is answered `TYPE_MISMATCH`, an unregistered
 * gate `FLAG_NOT_FOUND`, both with the caller's default. The evaluation context
 * is not looked at: a gate has one value per process. Reading counts as reading, so
 * that the reports of the process say who consults a gate.
 *
 * Events: `PROVIDER_READY` after start and when published values are heard of again,
 * `PROVIDER_STALE` while they are not (the last ones hold), and
 * `PROVIDER_CONFIGURATION_CHANGED` with the gates whose values changed.
 */
export class SlipwayProvider implements Provider {
  readonly metadata = { name: 'slipway' } as const;
  readonly runsOn = 'server';
  readonly events = new OpenFeatureEventEmitter();
  readonly #gate: FeatureGate;
  readonly #syncTimeoutMs: number;
  #states: ReadonlyMap<string, GateState>;
  #subscriptions: readonly { close(): void }[] = [];

  constructor({ gate, syncTimeoutMs = 5_000 }: SlipwayProviderOptions) {
    this.#gate = gate;
    this.#syncTimeoutMs = syncTimeoutMs;
    this.#states = statesOf(gate);
  }

  /** Waits for published values, but never fails for want of them: what the gates have holds meanwhile. */
  async initialize(): Promise<void> {
    await this.#gate.sync({ timeoutMs: this.#syncTimeoutMs });
    this.#states = statesOf(this.#gate);
    this.#subscriptions = [
      this.#gate.subscribe((what) => what === 'values' && this.#tellChanges()),
      this.#gate.onFreshness(() => this.#tellFreshness()),
    ];
    // The SDK announces that we are ready once this returns; to be stale is news after that.
    if (this.#gate.stale) setImmediate(() => this.#tellFreshness());
  }

  /** Stops telling of changes. The gate itself, and its reports, go on. */
  async onClose(): Promise<void> {
    for (const subscription of this.#subscriptions) subscription.close();
  }

  async resolveBooleanEvaluation(gate: string, defaultValue: boolean): Promise<ResolutionDetails<boolean>> {
    const state = this.#states.get(gate);
    if (!state) return notRegistered(gate, defaultValue);
    return {
      value: this.#gate.enabled(gate),
      reason: this.#gate.stale ? StandardResolutionReasons.STALE : reasonOf(state),
      flagMetadata: { stage: state.stage, locked: state.locked },
    };
  }

  async resolveStringEvaluation(gate: string, defaultValue: string): Promise<ResolutionDetails<string>> {
    return notBoolean(gate, defaultValue);
  }

  async resolveNumberEvaluation(gate: string, defaultValue: number): Promise<ResolutionDetails<number>> {
    return notBoolean(gate, defaultValue);
  }

  async resolveObjectEvaluation<T>(gate: string, defaultValue: T): Promise<ResolutionDetails<T>> {
    return notBoolean(gate, defaultValue);
  }

  #tellChanges(): void {
    const before = this.#states;
    this.#states = statesOf(this.#gate);
    const flagsChanged = [...this.#states.values()]
      .filter(({ name, enabled }) => before.get(name)?.enabled !== enabled)
      .map(({ name }) => name);
    if (flagsChanged.length > 0) this.events.emit(ProviderEvents.ConfigurationChanged, { flagsChanged });
  }

  #tellFreshness(): void {
    const message = 'the cluster cannot be heard; the last values hold';
    if (this.#gate.stale) this.events.emit(ProviderEvents.Stale, { message });
    else this.events.emit(ProviderEvents.Ready);
  }
}

function statesOf(gate: FeatureGate): ReadonlyMap<string, GateState> {
  return new Map(gate.list().map((state) => [state.name, state]));
}

function reasonOf(state: GateState): string {
  return state.enabled === state.default && !state.set
    ? StandardResolutionReasons.DEFAULT
    : StandardResolutionReasons.STATIC;
}

function notRegistered<T>(gate: string, value: T): ResolutionDetails<T> {
  return {
    value,
    reason: StandardResolutionReasons.ERROR,
    errorCode: ErrorCode.FLAG_NOT_FOUND,
    errorMessage: `feature gate ${JSON.stringify(gate)} is not registered in this process`,
  };
}

function notBoolean<T>(gate: string, value: T): ResolutionDetails<T> {
  return {
    value,
    reason: StandardResolutionReasons.ERROR,
    errorCode: ErrorCode.TYPE_MISMATCH,
    errorMessage: `feature gate ${JSON.stringify(gate)} is on or off; ask for a boolean`,
  };
}
