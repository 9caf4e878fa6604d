import type { Kube, KubeObject, ResourceRef } from '@slipway/kube';
import { FeatureUse } from '../api/feature-use.js';
import { FeatureVector, type GateValue } from '../api/feature-vector.js';
import type { RunningProcess } from '../upgrade/upgrade-view.js';

/** Every process of a namespace that reports, with all its values. Processes that run the same share one map of them. */
export async function listProcesses(kube: Kube, namespace: string, signal?: AbortSignal): Promise<RunningProcess[]> {
  const [vectors, uses] = await Promise.all([
    listAll(kube, FeatureVector, namespace, signal),
    listAll(kube, FeatureUse, namespace, signal),
  ]);
  const gates = new Map(vectors.map(({ metadata, spec }) => [metadata.name ?? '', gatesByName(spec.gates)]));
  return uses.map((use) => runningProcess(use, gates.get(use.spec.vector)));
}

/** Every object of a kind in a namespace, read page by page. */
export async function listAll<T extends KubeObject>(
  kube: Kube,
  ref: ResourceRef<T>,
  namespace: string,
  signal?: AbortSignal,
): Promise<T[]> {
  const all: T[] = [];
  for await (const page of kube.resource(ref).pages({ namespace, signal })) all.push(...page.items);
  return all;
}

function gatesByName(gates: readonly GateValue[]): ReadonlyMap<string, GateValue> {
  return new Map(gates.map((gate) => [gate.name, gate]));
}

function runningProcess({ metadata, spec }: FeatureUse, gates: RunningProcess['gates']): RunningProcess {
  const { component, instance, binaryVersion, emulationVersion, minCompatibilityVersion, vector } = spec;
  return {
    name: instance || (metadata.name ?? ''),
    component,
    version: binaryVersion,
    vector,
    ...(emulationVersion !== undefined && { emulationVersion }),
    ...(minCompatibilityVersion !== undefined && { minCompatibility: minCompatibilityVersion }),
    ...(gates !== undefined && { gates }),
  };
}
