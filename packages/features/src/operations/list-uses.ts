import { queriedGates } from '@slipway/feature-gates';
import type { Kube } from '@slipway/kube';
import { FeatureUse } from '../api/feature-use.js';
import { FeatureVector } from '../api/feature-vector.js';

/** What one process says of one gate. */
export interface ProcessUse {
  readonly process: string;
  readonly component: string;
  readonly instance: string;
  readonly node?: string;
  readonly version: string;
  readonly value: 'on' | 'off' | 'mixed' | 'unregistered';
  /** Whether it was set by the process's own flags. */
  readonly set: boolean;
  /** Whether its code has asked for the value. */
  readonly read: boolean;
  readonly source: string;
  readonly renewTime?: string;
}

/** Every process of a namespace that reports, with its value of a gate; those that do not know the gate come last. */
export async function listUses(
  kube: Kube,
  namespace: string,
  gate: string,
  signal?: AbortSignal,
): Promise<readonly ProcessUse[]> {
  const vectors = new Map<string, FeatureVector>();
  for await (const page of kube.resource(FeatureVector).pages({ namespace, signal })) {
    for (const vector of page.items) vectors.set(vector.metadata.name ?? '', vector);
  }
  const uses: ProcessUse[] = [];
  for await (const page of kube.resource(FeatureUse).pages({ namespace, signal })) {
    for (const use of page.items) uses.push(processUse(use, vectors.get(use.spec.vector), gate));
  }
  const order = (use: ProcessUse) => `${use.value === 'unregistered' ? 1 : 0} ${use.component} ${use.instance}`;
  return uses.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

function processUse({ metadata, spec }: FeatureUse, vector: FeatureVector | undefined, gate: string): ProcessUse {
  const gates = vector?.spec.gates ?? [];
  const value = gates.find(({ name }) => name === gate);
  const names = gates.map(({ name }) => name);
  return {
    process: metadata.name ?? '',
    component: spec.component,
    instance: spec.instance,
    ...(spec.node !== undefined && { node: spec.node }),
    version: spec.binaryVersion,
    value: value ? (value.mixed ? 'mixed' : value.enabled ? 'on' : 'off') : 'unregistered',
    set: value?.set ?? false,
    read: queriedGates(names, spec.queried).includes(gate),
    source: spec.source,
    ...(spec.renewTime !== undefined && { renewTime: spec.renewTime }),
  };
}
