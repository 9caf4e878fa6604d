import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FeatureGate } from '@slipway/feature-gates';
import type { Clock, Logger, Transport } from '@slipway/kube';
import { Component, type ComponentRun } from '../controllers/component/component.js';
import { componentGate } from '../controllers/component/component-gates.js';
import type { ComponentName } from './component-gates.js';
import { LateReporting } from './late-reporting.js';

export interface ComponentMakerOptions {
  /** UID of a node, undefined while it is not registered. */
  readonly nodeUid: (name: string) => string | undefined;
  /** Folder for the published values last in effect; none are kept without it. */
  readonly gatesFolder: string | undefined;
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
}

/** Makes the components of a cluster. They report their gates from `startReporting` on. */
export class ComponentMaker {
  readonly #options: ComponentMakerOptions;
  readonly #late = new LateReporting();

  constructor(options: ComponentMakerOptions) {
    this.#options = options;
  }

  make(spec: ComponentSpec): Component {
    const { name, instance, version, run } = spec;
    return new Component({
      name,
      instance,
      makeGate: () => componentGate(name, version()),
      run,
      report: (gate) => this.#late.report(gate, () => gate.startReporting(this.#reportingOf(spec))),
    });
  }

  startReporting(): void {
    this.#late.begin();
  }

  #reportingOf({ name, instance, transport }: ComponentSpec) {
    const { clock, log, nodeUid, gatesFolder } = this.#options;
    const uid = name === 'kubelet' ? nodeUid(instance) : undefined;
    if (gatesFolder !== undefined) mkdirSync(gatesFolder, { recursive: true, mode: 0o700 });
    return {
      transport,
      namespace: 'kube-system',
      instance,
      ...(name === 'kubelet' && { node: instance }),
      ...(uid !== undefined && { owner: { apiVersion: 'v1', kind: 'Node', name: instance, uid } }),
      ...(gatesFolder !== undefined && { cacheFile: join(gatesFolder, `${name}.${instance}.json`) }),
      dynamicFeatures: ['*'],
      startWithinMs: 200,
      clock,
      log: (line: string) => log.warn(line, { component: name, instance }),
    };
  }
}
