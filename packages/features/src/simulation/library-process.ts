import { createFeatureGate, type FeatureGate, type GateClock, type Reporting } from '@slipway/feature-gates';
import type { InMemoryApi } from '@slipway/kube/testing';
import { kubernetesNamespace as namespace } from '../api/group.js';
import type { SimulatedProcess } from './model-process.js';

/** How a component takes published values: while it runs, when it starts, or not because its operator does not let it. */
export type Following = 'live' | 'at-start' | 'never';

/** A component that uses the real library. */
export class LibraryProcess implements SimulatedProcess {
  readonly component: string;
  readonly instance: string;
  readonly reports: SimulatedProcess['reports'] = [];
  readonly following: Following;
  isAlive = true;
  isCutOff = false;
  readonly #api: InMemoryApi;
  readonly #gates: readonly string[];
  readonly #clock: GateClock;
  readonly #pins = new Map<string, boolean>();
  #gate: FeatureGate;
  #reporting: Reporting;

  constructor(options: {
    readonly api: InMemoryApi;
    readonly component: string;
    readonly instance: string;
    readonly gates: readonly string[];
    readonly following: Following;
    readonly clock: GateClock;
  }) {
    this.component = options.component;
    this.instance = options.instance;
    this.following = options.following;
    this.#api = options.api;
    this.#gates = options.gates;
    this.#clock = options.clock;
    [this.#gate, this.#reporting] = this.#start();
  }

  /** What its code is told. */
  runs(gate: string): boolean {
    return this.#gate.enabled(gate);
  }

  isPinned(gate: string): boolean {
    return this.#pins.has(gate);
  }

  restart(): void {
    void this.#reporting.stop();
    [this.#gate, this.#reporting] = this.#start();
  }

  pin(gate: string, value: boolean | undefined): void {
    if (value === undefined) this.#pins.delete(gate);
    else this.#pins.set(gate, value);
    this.restart();
  }

  unpin(): void {
    this.#pins.clear();
    this.restart();
  }

  /** The library acts by itself. */
  act(): void {}

  #start(): [FeatureGate, Reporting] {
    const { component, instance, following } = this;
    const gate = createFeatureGate({ component, version: '1.36.0', onWarning: () => {} });
    gate.add(Object.fromEntries(this.#gates.map((name) => [name, { stage: 'Alpha', default: false } as const])));
    for (const [name, value] of this.#pins) gate.set(`${name}=${value}`);
    if (following === 'at-start') gate.declareAtStart(...this.#gates);
    else gate.declareLive(...this.#gates);
    const reporting = gate.startReporting({
      namespace,
      instance,
      ...(component === 'kubelet' && { node: instance }),
      transport: this.#api,
      dynamicFeatures: following === 'never' ? [] : ['*'],
      clock: this.#clock,
      random: () => 0.5,
      log: () => {},
    });
    void gate.sync().then(() => gate.enabled(this.#gates[0] ?? ''));
    return [gate, reporting];
  }
}
