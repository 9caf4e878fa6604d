import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FeatureGate } from '@slipway/feature-gates';
import type { Clock, Logger, Transport } from '@slipway/kube';
import { Component, type ComponentRun } from './component/component.js';
import { componentGate } from './component/component-gates.js';
import type { ComponentName } from './component-gates.js';
import { LateReporting, type Stoppable } from './late-reporting.js';

export interface ComponentMakerOptions {
  /** UID of a node, undefined while it is not registered. */
  readonly nodeUid: (name: string) => string | undefined;
  /** Folder for the published values last in effect; none are kept without it. */
  readonly gatesFolder: string | undefined;
  /** Patterns of gates that components may take from the API: their `--dynamic-features`. */
  readonly dynamicFeatures: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** One component: what it is called, whom it talks to, and what runs in it. */
export interface ComponentSpec {
  readonly name: ComponentName;
  readonly instance: string;
  /** Kubernetes version it is of; asked anew for each run. */
  readonly version: () => string;
  readonly transport: Transport;
  readonly run: (gate: FeatureGate) => ComponentRun;
  /** Whether it reports its gates itself, or leaves that to who reads its pages. */
  readonly reports: boolean;
}

/** Longest wait for published values when a component is restarted. */
const syncMs = 2_000;

/** Makes the components of a cluster. They report their gates from `startReporting` on. */
export class ComponentMaker {
  readonly #options: ComponentMakerOptions;
  readonly #late: LateReporting;

  constructor(options: ComponentMakerOptions) {
    this.#options = options;
    this.#late = new LateReporting(options.clock);
  }

  make(spec: ComponentSpec): Component {
    const { name, instance, version, run, reports } = spec;
    return new Component({
      name,
      instance,
      makeGate: () => this.#gateOf(name, instance, version()),
      run,
      ...(name !== 'kube-apiserver' && { syncMs }),
      ...(reports && {
        report: (gate: FeatureGate) => this.#late.report(gate, () => this.#report(gate, spec)),
      }),
    });
  }

  /** A gate that has the published values of its last run: the API is not there yet when a cluster starts. */
  #gateOf(name: ComponentName, instance: string, version: string): FeatureGate {
    const gate = componentGate(name, version);
    const cacheFile = this.#cacheFile(name, instance);
    const { dynamicFeatures, clock } = this.#options;
    if (cacheFile !== undefined) gate.recall({ cacheFile, dynamicFeatures, clock });
    return gate;
  }

  /** The first values that are heard still belong to the start, be it that of the whole cluster. */
  #report(gate: FeatureGate, spec: ComponentSpec): Stoppable {
    const reporting = gate.startReporting(this.#reportingOf(spec));
    void gate.sync({ timeoutMs: syncMs });
    return reporting;
  }

  #cacheFile(name: ComponentName, instance: string): string | undefined {
    const { gatesFolder } = this.#options;
    return gatesFolder && join(gatesFolder, `${name}.${instance}.json`);
  }

  startReporting(): void {
    this.#late.begin();
  }

  #reportingOf({ name, instance, transport }: ComponentSpec) {
    const { clock, log, nodeUid, gatesFolder, dynamicFeatures } = this.#options;
    const cacheFile = this.#cacheFile(name, instance);
    const uid = name === 'kubelet' ? nodeUid(instance) : undefined;
    if (gatesFolder !== undefined) mkdirSync(gatesFolder, { recursive: true, mode: 0o700 });
    return {
      transport,
      namespace: 'kube-system',
      instance,
      ...(name === 'kubelet' && { node: instance }),
      ...(uid !== undefined && { owner: { apiVersion: 'v1', kind: 'Node', name: instance, uid } }),
      ...(cacheFile !== undefined && { cacheFile }),
      dynamicFeatures,
      startWithinMs: 200,
      clock,
      log: (line: string) => log.warn(line, { component: name, instance }),
    };
  }
}
