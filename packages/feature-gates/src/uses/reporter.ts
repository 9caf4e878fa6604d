import { randomUUID } from 'node:crypto';
import { backoffMs } from './backoff.js';
import { type GateClock, systemClock, withinTime } from './clock.js';
import { epochConfigMap, readEpoch } from './epoch.js';
import {
  type FeatureUseSpec,
  featureUseName,
  leaseDurationSeconds,
  type Owner,
  shortApplyErrors,
} from './feature-use.js';
import { type FeatureVectorSpec, type ReportedGate, vectorName, vectorSpec } from './feature-vector.js';
import { follow, isDenial } from './follow.js';
import { queriedBitmap } from './queried-bitmap.js';
import { type GateTransport, RefusedError } from './transport.js';
import { TakenOverError, UseClient } from './use-client.js';

/** Anything that knows the gates of a process: our gate, or a wrapper around another library's. */
export interface GateSource {
  readonly component: string;
  readonly binaryVersion: string;
  readonly emulationVersion?: string | undefined;
  readonly minCompatibilityVersion?: string | undefined;
  /** Every gate and its present value. */
  list(): readonly ReportedGate[];
  /** Calls back after something in the list changed. A source without it is looked at every ten seconds. */
  subscribe?(changed: (what: 'values' | 'reads') => void): { close(): void };
  /** Whose gates these are, where it is another process than this one. */
  readonly observed?: ObservedProcess | undefined;
  /** Brings the list up to date before it is reported. While it rejects nothing is: the report grows old. */
  refresh?(signal: AbortSignal): Promise<void>;
}

/** A process that is reported by an observer. */
export interface ObservedProcess {
  readonly source: 'Metrics';
  /** New for each start of it. */
  readonly incarnation: string;
  /** RFC 3339. */
  readonly startTime?: string | undefined;
}

/** How a process reports. */
export interface ReportingOptions {
  readonly transport: GateTransport;
  readonly namespace: string;
  /** Which of the component's processes this is: the name of its pod or node. */
  readonly instance: string;
  readonly node?: string | undefined;
  /** The pod or node this process ends with, so that its report is garbage-collected. */
  readonly owner?: Owner | undefined;
  /** How often the report is renewed; it counts for three times as long. 300 s when absent. */
  readonly renewEveryMs?: number | undefined;
  /** The first report is sent at a random moment within this time. 5 s when absent. */
  readonly startWithinMs?: number | undefined;
  readonly clock?: GateClock | undefined;
  /** Uniform in [0, 1). */
  readonly random?: (() => number) | undefined;
  /** Told once when reporting begins to fail and once when it works again. `console.warn` when absent. */
  readonly log?: ((line: string) => void) | undefined;
}

/** A report that is kept up. */
export interface Reporting {
  /** Ends reporting and deletes the report of this process, for at most two seconds. Never throws. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
  /** How often a report could not be written. */
  readonly failures: number;
}

const coalesceMs = 1_000;
const firstReadsMs = 30_000;
const lookMs = 10_000;
const vectorAgainMs = 3_600_000;
const farewellMs = 2_000;
const refreshMs = 15_000;

/**
 * Reports the gates of `source` until stopped. Returns at once, never throws and
 * never blocks: what fails is tried again, and the values in use do not depend on it.
 */
export function reportUses(source: GateSource, options: ReportingOptions): Reporting {
  const reporter = new Reporter(source, options);
  reporter.start();
  return reporter;
}

class Reporter implements Reporting {
  readonly #source: GateSource;
  readonly #options: ReportingOptions;
  readonly #clock: GateClock;
  readonly #random: () => number;
  readonly #client: UseClient;
  readonly #renewMs: number;
  readonly #incarnation = randomUUID();
  readonly #startTime: string;
  readonly #startedMs: number;
  readonly #end = new AbortController();
  #stopped = false;
  #subscription: { close(): void } | undefined;
  #epoch = 0;
  #spreadMs: number;
  #dueMs = Number.POSITIVE_INFINITY;
  #timer: { cancel(): void } | undefined;
  #look: { cancel(): void } | undefined;
  /** The report that is being written. */
  #writing: Promise<void> | undefined;
  #reported: string | undefined;
  #ensured: { readonly name: string; readonly atMs: number } | undefined;
  #failing = 0;
  /** What was observed last could not be looked at. */
  #isUnseen = false;
  failures = 0;

  constructor(source: GateSource, options: ReportingOptions) {
    this.#source = source;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#renewMs = options.renewEveryMs ?? (leaseDurationSeconds * 1000) / 3;
    this.#startTime = new Date(this.#clock.now()).toISOString();
    this.#startedMs = this.#clock.monotonicMs();
    this.#spreadMs = options.startWithinMs ?? 5_000;
    const name = featureUseName(source.component, options.instance);
    this.#client = new UseClient(options.transport, this.#clock, options.namespace, name, options.owner);
  }

  start(): void {
    this.#wantIn(this.#random() * this.#spreadMs);
    const changed = (what: 'values' | 'reads') => (what === 'reads' ? this.#wasRead() : this.#lookIn(coalesceMs));
    this.#subscription = this.#source.subscribe?.(changed);
    if (!this.#source.subscribe) this.#lookIn(lookMs);
    this.#followEpoch();
  }

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#subscription?.close();
    this.#timer?.cancel();
    this.#look?.cancel();
    const farewell = new AbortController();
    const timer = this.#clock.after(farewellMs, () => farewell.abort(new Error('no time left')));
    const over = new Promise<void>((resolve) => farewell.signal.addEventListener('abort', () => resolve()));
    // A report under way is let finish first, or it would bring back what is deleted.
    const goodbye = async () => {
      await this.#writing;
      this.#end.abort(new Error('reporting was stopped'));
      // A process that was only looked at goes on, and the next who looks takes the report over.
      if (!this.#source.observed) await this.#client.deleteUse(farewellMs, farewell.signal);
    };
    const left = (error: unknown) => {
      const message = messageOf(error);
      if (isDenial(message)) this.#log(`a feature gate report is left to expire: ${message}`);
    };
    await Promise.race([goodbye().catch(left), over]);
    this.#end.abort(new Error('reporting was stopped'));
    timer.cancel();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #followEpoch(): void {
    const { transport, namespace } = this.#options;
    void follow({
      transport,
      path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps`,
      name: epochConfigMap,
      onState: (objects) => this.#heard(objects.get(epochConfigMap)),
      log: (line) => this.#log(line),
      clock: this.#clock,
      random: this.#random,
      signal: this.#end.signal,
    });
  }

  /** The server was heard of, and perhaps it asks for a confirmation. */
  #heard(configMap: unknown): void {
    const call = readEpoch(configMap);
    if (call) this.#spreadMs = call.spreadMs;
    const asked = call !== undefined && call.epoch > this.#epoch;
    if (asked) this.#epoch = call.epoch;
    // Before the first report there is nothing to confirm: it will carry the epoch anyway.
    if ((asked && this.#reported !== undefined) || this.#failing > 0) this.#wantIn(this.#random() * this.#spreadMs);
  }

  /** The bits of first reads travel with every renewal; only the first lot has a report of its own. */
  #wasRead(): void {
    const early = this.#startedMs + firstReadsMs - this.#clock.monotonicMs();
    if (early > 0 && this.#failing === 0) this.#wantIn(early);
  }

  /** Looks in a moment whether the values differ from those reported: many changes, one look. */
  #lookIn(delayMs: number): void {
    if (this.#look || this.#stopped) return;
    this.#look = this.#clock.after(delayMs, () => {
      this.#look = undefined;
      if (!this.#source.subscribe) this.#lookIn(lookMs);
      const differs = this.#attempt(() => fingerprint(this.#compose()) !== this.#reported) ?? true;
      const isAnswered = this.#failing === 0 || this.#isUnseen;
      if (differs && this.#reported !== undefined && isAnswered) this.#wantIn(0);
    });
  }

  /** Makes sure a report is sent in `delayMs` at the latest. */
  #wantIn(delayMs: number): void {
    if (this.#stopped) return;
    const dueMs = this.#clock.monotonicMs() + delayMs;
    if (dueMs >= this.#dueMs) return;
    this.#dueMs = dueMs;
    this.#arm();
  }

  #arm(): void {
    this.#timer?.cancel();
    if (this.#writing || this.#stopped || this.#dueMs === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#clock.after(Math.max(0, this.#dueMs - this.#clock.monotonicMs()), () => {
      this.#dueMs = Number.POSITIVE_INFINITY;
      this.#writing = this.#report().finally(() => {
        this.#writing = undefined;
        this.#arm();
      });
    });
  }

  /** Sends one report and plans the next. Never rejects. */
  async #report(): Promise<void> {
    try {
      // The values are looked at after the epoch they are to confirm.
      const epoch = this.#epoch;
      await this.#refresh();
      const report = this.#compose(epoch);
      await this.#write(report);
      this.#reported = fingerprint(report);
      if (this.#failing > 0) this.#log('feature gate uses are reported again');
      this.#failing = 0;
      this.#wantIn(this.#renewMs * (0.9 + 0.2 * this.#random()));
      // What changed while this report was under way was not in it.
      if (report.spec.epoch < this.#epoch) this.#wantIn(this.#random() * this.#spreadMs);
      this.#lookIn(coalesceMs);
    } catch (error) {
      if (error instanceof TakenOverError) return this.#giveWay(error);
      this.failures++;
      this.#failing++;
      if (this.#failing === 1) this.#log(`feature gate uses cannot be reported, will try again: ${messageOf(error)}`);
      // What was wanted meanwhile is part of the next try.
      this.#dueMs = Number.POSITIVE_INFINITY;
      this.#wantIn(backoffMs(this.#failing, this.#random, error instanceof RefusedError ? error.retryAfterMs : 0));
    }
  }

  /** Reports no more, and leaves the report to the process that has taken it over. */
  #giveWay({ message }: TakenOverError): void {
    this.#log(`feature gate uses are reported no more: ${message}, which was started later`);
    this.#stopped = true;
    this.#subscription?.close();
    this.#look?.cancel();
    this.#end.abort(new Error('another process reports'));
  }

  async #refresh(): Promise<void> {
    const { refresh } = this.#source;
    if (!refresh) return;
    this.#isUnseen = true;
    await withinTime(this.#clock, refreshMs, this.#end.signal, (signal) => refresh.call(this.#source, signal));
    this.#isUnseen = false;
  }

  async #write({ spec, vector }: Report): Promise<void> {
    const signal = this.#end.signal;
    const nowMs = this.#clock.monotonicMs();
    // Now and then again even though it was there: it may have been deleted.
    if (this.#ensured?.name !== spec.vector || nowMs - this.#ensured.atMs > vectorAgainMs) {
      await this.#client.ensureVector(spec.vector, vector, signal);
      this.#ensured = { name: spec.vector, atMs: nowMs };
    }
    const renewed = await this.#client.writeUse(spec, signal);
    if (!renewed && this.#reported !== undefined) {
      // The report was gone, and its vector may have gone the same way.
      await this.#client.ensureVector(spec.vector, vector, signal);
    }
  }

  /** What is true now. The epoch is one that was seen before the values were looked at. */
  #compose(epoch = this.#epoch): Report {
    const source = this.#source;
    const ownProcess = { source: 'Library', incarnation: this.#incarnation, startTime: this.#startTime } as const;
    const { instance, node } = this.#options;
    const listed = source.list();
    const vector = vectorSpec(source.component, source.binaryVersion, listed);
    const read = new Set(listed.filter((gate) => gate.read).map((gate) => gate.name));
    const names = vector.gates.map((gate) => gate.name);
    const applyErrors = listed.flatMap(({ name, applyError }) =>
      applyError ? [{ gate: name, message: applyError }] : [],
    );
    const spec: FeatureUseSpec = {
      component: source.component,
      instance,
      node,
      ...(source.observed ?? ownProcess),
      binaryVersion: source.binaryVersion,
      emulationVersion: source.emulationVersion,
      minCompatibilityVersion: source.minCompatibilityVersion,
      vector: vectorName(vector),
      queried: queriedBitmap(names, (name) => read.has(name)),
      applyErrors: shortApplyErrors(applyErrors),
      epoch,
      renewTime: new Date(this.#clock.now()).toISOString(),
      leaseDurationSeconds: Math.ceil((this.#renewMs * 3) / 1000),
    };
    return { spec, vector };
  }

  #attempt<T>(run: () => T): T | undefined {
    try {
      return run();
    } catch {
      return undefined;
    }
  }

  #log(line: string): void {
    this.#attempt(() => (this.#options.log ?? console.warn)(line));
  }
}

interface Report {
  readonly spec: FeatureUseSpec;
  readonly vector: FeatureVectorSpec;
}

/** What must be told at once when it changes. */
function fingerprint({ spec }: Report): string {
  return JSON.stringify([spec.incarnation, spec.vector, spec.applyErrors]);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
