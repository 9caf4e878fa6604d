import { epochConfigMap, vectorName } from '@slipway/feature-gates';
import type { KubeObject } from '@slipway/kube';
import type { InMemoryApi } from '@slipway/kube/testing';
import { Feature } from '../api/feature.js';
import { FeatureUse } from '../api/feature-use.js';
import { FeatureVector } from '../api/feature-vector.js';
import { apiVersion, kubernetesNamespace as namespace } from '../api/group.js';
import { aFeatureUse } from '../testing/a-feature-use.js';

/** One report as it was written: what a gate was, in which round. */
export interface Reported {
  readonly atMs: number;
  readonly epoch: number;
  readonly values: Readonly<Record<string, boolean>>;
}

/** A component in a simulated cluster. */
export type SimulatedProcess = Pick<
  ModelProcess,
  'component' | 'instance' | 'reports' | 'isAlive' | 'isCutOff' | 'restart' | 'pin' | 'unpin' | 'act'
>;

const renewEveryMs = 300_000;

/**
 * A component that reports its gates and follows what their Features publish, as
 * the library does. It can die, come back as it was, be cut off and have a gate typed.
 */
export class ModelProcess {
  readonly component: string;
  readonly instance: string;
  readonly #api: InMemoryApi;
  readonly #gates: readonly string[];
  readonly #pins = new Map<string, boolean>();
  readonly #values = new Map<string, boolean>();
  /** Everything it ever reported. */
  readonly reports: Reported[] = [];
  isAlive = true;
  isCutOff = false;
  #starts = 1;
  #written = '';
  #writtenMs = 0;

  constructor(api: InMemoryApi, component: string, instance: string, gates: readonly string[]) {
    this.#api = api;
    this.component = component;
    this.instance = instance;
    this.#gates = gates;
  }

  /** Ends, and begins anew with what was typed. */
  restart(): void {
    this.isAlive = true;
    this.#starts++;
    this.#values.clear();
    this.#written = '';
  }

  pin(gate: string, value: boolean | undefined): void {
    if (value === undefined) this.#pins.delete(gate);
    else this.#pins.set(gate, value);
    this.restart();
  }

  unpin(): void {
    if (this.#pins.size === 0) return;
    this.#pins.clear();
    this.restart();
  }

  /** What it does between two moments: follow, and report when something is new or it is time to. */
  act(nowMs: number): void {
    if (!this.isAlive || this.isCutOff) return;
    for (const gate of this.#gates) {
      const published = this.#find<Feature>(Feature, gate.toLowerCase())?.status?.published?.value;
      this.#values.set(gate, this.#pins.get(gate) ?? published ?? this.#values.get(gate) ?? false);
    }
    const configMap = this.#find({ group: '', plural: 'configmaps' }, epochConfigMap);
    const epoch = Number((configMap?.data as Record<string, string> | undefined)?.epoch ?? 0);
    const state = JSON.stringify([this.#starts, epoch, [...this.#values], [...this.#pins]]);
    if (state === this.#written && nowMs - this.#writtenMs < renewEveryMs) return;
    this.#written = state;
    this.#writtenMs = nowMs;
    this.#report(epoch, nowMs);
  }

  #report(epoch: number, nowMs: number): void {
    const { component, instance } = this;
    const gates = [...this.#values].map(([name, enabled]) => ({
      name,
      enabled,
      default: false,
      stage: 'Alpha',
      ...(this.#pins.has(name) ? { set: true } : { follows: true }),
    }));
    const vector = { component, binaryVersion: '1.36.0', gates };
    const name = vectorName(vector);
    if (!this.#find(FeatureVector, name)) {
      this.#api.seed(FeatureVector, { apiVersion, kind: 'FeatureVector', metadata: { name, namespace }, spec: vector });
    }
    const use = aFeatureUse({
      component,
      instance,
      ...(component === 'kubelet' && { node: instance }),
      incarnation: String(this.#starts),
      binaryVersion: '1.36.0',
      vector: name,
      epoch,
      renewTime: new Date(nowMs).toISOString(),
    });
    this.#api.seed(FeatureUse, use);
    this.reports.push({ atMs: nowMs, epoch, values: Object.fromEntries(this.#values) });
  }

  #find<T extends KubeObject>(resource: { readonly group: string; readonly plural: string }, name: string) {
    const found = this.#api
      .stored(resource)
      .find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
    return found as T | undefined;
  }
}
