import type { FeatureGateOptions, RecallOptions, StartReportingOptions } from './feature-gate-options.js';
import { parseFlag } from './flags/parse-flag.js';
import { enabledMetric } from './gate/enabled-metric.js';
import { FeatureGateError } from './gate/feature-gate-error.js';
import {
  decide,
  effectiveVersion,
  type GateSettings,
  type GateSpecs,
  noGates,
  type Outcome,
  refusalOfChange,
  withDefault,
  withDependencies,
  withGates,
  withoutTyped,
  withTyped,
  withVersion,
} from './gate/gate-settings.js';
import { type Changed, type GateState, GateValues, unregistered } from './gate/gate-values.js';
import { knownFeatures } from './gate/known-features.js';
import type { GateWarning } from './gate/resolve.js';
import { DeclaredGates, type Takes } from './live/declared-gates.js';
import type { ChangeHandler } from './live/hand-over.js';
import { readLastGood, takeLastGood } from './live/last-good.js';
import type { LiveGates } from './live/live-gates.js';
import { LiveValues } from './live/live-values.js';
import { metricText } from './metrics/metric-text.js';
import { systemClock } from './uses/clock.js';
import { type GateSource, type Reporting, reportUses } from './uses/reporter.js';
import { transportOfThisPod } from './uses/transport-of-this-pod.js';

/** Makes the gate of one process. No I/O happens before `startReporting` or `recall`. */
export function createFeatureGate(options: FeatureGateOptions): FeatureGate {
  const { version, emulationVersion = version, minCompatibilityVersion } = options;
  return new FeatureGate(options, noGates(effectiveVersion(emulationVersion, minCompatibilityVersion)));
}

/**
 * Knows the gates of one process and their values, with the semantics of
 * Kubernetes' `--feature-gates`.
 *
 * Invariant: a value changes only in `add`, `set`, `setFromMap`, `resetToDefault`,
 * `overrideDefault` and `setEmulationVersion`, each of which changes everything or
 * nothing, and, for gates declared live or at start, when the published value was accepted.
 */
export class FeatureGate implements GateSource {
  readonly component: string;
  readonly binaryVersion: string;
  readonly #options: FeatureGateOptions;
  readonly #values: GateValues;
  readonly #declared = new DeclaredGates();
  #reporting: Reporting | undefined;
  #live: LiveValues | undefined;
  #stale = false;
  readonly #freshnessListeners = new Set<(stale: boolean) => void>();

  constructor(options: FeatureGateOptions, settings: GateSettings) {
    this.component = options.component;
    this.binaryVersion = options.version;
    this.#options = options;
    this.#values = new GateValues(settings);
  }

  /** Version whose defaults and stages apply, as `major.minor`. */
  get emulationVersion(): string {
    return this.#settings.at.emulation.text;
  }

  get minCompatibilityVersion(): string {
    return this.#settings.at.minCompatibility.text;
  }

  /**
   * Whether the gate is on, and remembers that it was asked. A map lookup: no I/O,
   * nothing allocated after the first call. Throws a RangeError for an unregistered gate.
   */
  enabled(gate: string): boolean {
    return this.#values.ask(gate);
  }

  /**
   * Registers gates. The same spec twice is fine. Throws an Error in upstream's words
   * and registers none of them when a spec is not well-formed or differs from before.
   */
  add(gates: GateSpecs): void {
    this.#values.adopt(withGates(this.#settings, gates));
  }

  /** Says which gates a gate needs: settings that turn it on without them are refused. Throws an Error. */
  addDependencies(dependencies: Readonly<Record<string, readonly string[]>>): void {
    this.#values.adopt(withDependencies(this.#settings, dependencies));
  }

  /**
   * Says that a gate comes with configuration of its own, such as `--size-limit`: a process
   * that is given that flag while the gate is off cannot start, so only its command line decides.
   */
  registerConfig(gate: string, flag: string): void {
    if (!this.#settings.known.has(gate)) throw unregistered(gate);
    this.#declared.registerConfig(gate, flag);
  }

  /** Takes the value of a `--feature-gates` flag; may be called for each occurrence. Throws a FeatureGateError. */
  set(flag: string): void {
    this.#warnOfReads(this.#adopt(withTyped(this.#settings, parseFlag(flag), this.#isStrict)));
  }

  /** Takes settings of a configuration file. Names are taken as they are. Throws a FeatureGateError. */
  setFromMap(settings: Readonly<Record<string, boolean>>): void {
    const typed = new Map(Object.entries(settings));
    this.#warnOfReads(this.#adopt(withTyped(this.#settings, typed, this.#isStrict)));
  }

  /** Forgets the setting of one gate, typed or swept. */
  resetToDefault(gate: string): void {
    const settings = withoutTyped(this.#settings, gate);
    this.#warnOfReads(this.#adopt({ settings, errors: [], warnings: [] }));
  }

  /** Changes the default of a gate for the entry that applies now, or at `version`. For programs with other defaults. */
  overrideDefault(gate: string, value: boolean, version?: string): void {
    const at = version === undefined ? this.#settings.at : effectiveVersion(version);
    this.#warnOfReads(this.#adopt(withDefault(this.#settings, gate, value, at)));
  }

  /** Emulates another version. Settings that it refuses leave everything as it was and throw a FeatureGateError. */
  setEmulationVersion(version: string, minCompatibilityVersion?: string): void {
    const at = effectiveVersion(version, minCompatibilityVersion);
    if (at.emulation.text === this.emulationVersion && at.minCompatibility.text === this.minCompatibilityVersion) {
      return;
    }
    const outcome = withVersion(this.#settings, at, this.#isStrict);
    const queried = outcome.errors.length > 0 ? new Map() : this.#values.forgetQueries();
    this.#adopt(outcome);
    for (const [gate, was] of queried) {
      const is = this.#values.valueOf(gate);
      const message = `SetEmulationVersion will change already queried feature:${gate} from ${was} to ${is}`;
      if (is !== was) this.#warn({ kind: 'queriedChanged', gate, message });
    }
  }

  /** What would be refused if the settings were given again. */
  validate(): readonly string[] {
    return withVersion(this.#settings, this.#settings.at, this.#isStrict).errors;
  }

  /** Whether a value was set explicitly for this gate, be it the default. False for gates that AllAlpha or AllBeta swept. */
  explicitlySet(gate: string): boolean {
    return this.#settings.typed.has(gate);
  }

  /** Every gate of the effective version, sorted by name, AllAlpha and AllBeta among them. Does not count as reading. */
  list(): readonly GateState[] {
    return this.#values.states().map((state) => ({ ...state, ...this.#declared.describe(state.name) }));
  }

  dependencies(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(this.#settings.dependencies);
  }

  /** Help lines of `--feature-gates`. */
  knownFeatures(): readonly string[] {
    return knownFeatures(this.#settings.known, this.#settings.at);
  }

  /** `kubernetes_feature_enabled`, and how reporting goes, in the Prometheus text format. */
  metrics(): string {
    const gates = enabledMetric(this.list());
    return this.#reporting ? gates + failuresMetric(this.#reporting.failures) : gates;
  }

  /** Ends registration and describes the flag to register with a command line parser. */
  flag(): { readonly name: string; readonly type: string; readonly help: string } {
    this.close();
    const intro = 'A set of key=value pairs that turn features on or off. Options are:';
    return { name: 'feature-gates', type: 'mapStringBool', help: [intro, ...this.knownFeatures()].join('\n') };
  }

  /** Ends registration: later `add`, `addDependencies` and `overrideDefault` throw. */
  close(): void {
    this.#values.adopt({ ...this.#settings, closed: true });
  }

  /** An independent gate with the same registrations, settings and closed state: for trying out settings. */
  copy(): FeatureGate {
    return new FeatureGate(this.#options, this.#settings);
  }

  /** An independent gate with the same specs and overridden defaults, nothing set, open, without dependencies. */
  copyAndReset(): FeatureGate {
    const { at, known } = this.#settings;
    return new FeatureGate(this.#options, { ...noGates(at), known });
  }

  /** Returns a function that puts everything back as it is now, reads included. Until then nothing counts as read before. For tests. */
  savepoint(): () => void {
    return this.#values.savepoint();
  }

  /** The settings as a flag value: `A=true,B=false`, sorted, swept gates included. */
  toString(): string {
    const pairs = [...this.#settings.values].map(([gate, value]) => `${gate}=${value}`);
    return pairs.sort().join(',');
  }

  /**
   * Says that this program can change these gates while it runs, so they may follow
   * the value their Feature publishes. Throws an Error for a gate with configuration,
   * and once reporting has started.
   */
  declareLive(...gates: readonly string[]): void {
    this.#declare(gates, 'Live');
  }

  /**
   * Says that this program can take the published value of these gates when it starts.
   * Once such a gate was read, or `sync` returned, it keeps its value until a restart.
   * Throws an Error for a gate with configuration, and once reporting has started.
   */
  declareAtStart(...gates: readonly string[]): void {
    this.#declare(gates, 'AtStart');
  }

  /**
   * Has `handler` called before a published value takes effect. The new value counts,
   * and is reported, once every handler of the gate resolved.
   */
  onChange(gate: string, handler: ChangeHandler): { close(): void } {
    return this.#declared.onChange(gate, handler);
  }

  /**
   * Begins to report the gates, and to follow published values where gates are declared
   * for it and allowed. Returns at once and does not throw because the cluster is away.
   */
  startReporting(options: StartReportingOptions): Reporting {
    if (this.#reporting) throw new Error('reporting was started already');
    const { transport = transportOfThisPod(), dynamicFeatures = [] } = options;
    const names = this.#declared.follow(dynamicFeatures);
    if (names.length > 0) {
      const { namespace, cacheFile, clock = systemClock, random = Math.random, log = console.warn } = options;
      const { instance, node, labels } = options;
      const follower = { component: this.component, instance, node, labels };
      const following = { transport, namespace, follower, cacheFile, clock, random, log };
      this.#live = new LiveValues(this.#liveGates(names), following);
      this.#live.start();
    }
    const uses = reportUses(this, { ...options, transport });
    const live = this.#live;
    const stop = () => {
      live?.stop();
      return uses.stop();
    };
    this.#reporting = {
      stop,
      [Symbol.asyncDispose]: stop,
      get failures() {
        return uses.failures;
      },
    };
    return this.#reporting;
  }

  /**
   * Takes the published values of the last run from their file, for a program that must act
   * before it can ask the API. Returns at once; without such a file nothing changes.
   */
  recall({ cacheFile, dynamicFeatures, clock = systemClock }: RecallOptions): void {
    takeLastGood(this.#liveGates(this.#declared.follow(dynamicFeatures)), readLastGood(cacheFile, clock.now())?.values);
  }

  /**
   * Waits until published values were brought into effect. False when that took too
   * long: the values of the last run or the defaults hold then, and following goes on.
   */
  async sync({ timeoutMs = 5_000 }: { readonly timeoutMs?: number } = {}): Promise<boolean> {
    return this.#live ? this.#live.firstValues(timeoutMs) : true;
  }

  /**
   * Whether published values are followed and the API cannot be heard at present. The
   * last values hold for as long as that lasts.
   */
  get stale(): boolean {
    return this.#stale;
  }

  /** Calls back when `stale` changes. */
  onFreshness(changed: (stale: boolean) => void): { close(): void } {
    this.#freshnessListeners.add(changed);
    return { close: () => this.#freshnessListeners.delete(changed) };
  }

  /** Calls back after a value, or what is said of it, changed, and after the first read of a gate. */
  subscribe(changed: Changed): { close(): void } {
    return this.#values.subscribe(changed);
  }

  get #isStrict(): boolean {
    return this.#options.strict ?? false;
  }

  get #settings(): GateSettings {
    return this.#values.settings;
  }

  /** Returns the gates that code was told another value of before. */
  #adopt({ settings, errors, warnings }: Outcome): readonly string[] {
    const inconsistent = this.#values.adopt(settings);
    for (const warning of warnings) this.#warn(warning);
    if (errors.length > 0) throw new FeatureGateError(errors);
    this.#live?.reconsider();
    return inconsistent;
  }

  #warnOfReads(gates: readonly string[]): void {
    for (const gate of gates) {
      const value = this.#values.valueOf(gate);
      const message = `feature gate ${gate} was read before it became ${value}: until a restart the process runs both`;
      this.#warn({ kind: 'inconsistentRead', gate, message });
    }
  }

  #warn(warning: GateWarning): void {
    const tell = this.#options.onWarning ?? ((told: GateWarning) => console.warn(told.message));
    tell(warning);
  }

  #declare(gates: readonly string[], when: Takes): void {
    if (this.#reporting) throw new Error('gates must be declared before reporting starts');
    for (const gate of gates) {
      if (!this.#settings.known.has(gate)) throw unregistered(gate);
      this.#declared.declare(gate, when);
    }
  }

  #noteStale(stale: boolean): void {
    if (this.#stale === stale) return;
    this.#stale = stale;
    for (const changed of this.#freshnessListeners) changed(stale);
  }

  #liveGates(names: readonly string[]): LiveGates {
    return {
      names,
      isPinned: (gate) => this.#settings.typed.has(gate),
      wasRead: (gate) => this.#values.wasRead(gate),
      valueOf: (gate) => this.#values.valueOf(gate),
      withoutPublished: (gate) => decide(this.#settings, gate, undefined),
      refusalOf: (gate, value) => refusalOfChange(this.#settings, gate, value, (other) => this.#values.valueOf(other)),
      isLive: (gate) => this.#declared.isLive(gate),
      handlersOf: (gate) => this.#declared.handlersOf(gate),
      accept: (gate, value) => this.#values.publish(gate, value),
      noteApplyError: (gate, message) => this.#values.noteApplyError(gate, message),
      notePendingRestart: (gate, pending) => this.#values.notePendingRestart(gate, pending),
      noteStale: (stale) => this.#noteStale(stale),
    };
  }
}

function failuresMetric(failures: number): string {
  const help = 'Reports of feature gate uses that could not be written.';
  return metricText('slipway_feature_report_failures_total', 'counter', help, [{ value: failures }]);
}
