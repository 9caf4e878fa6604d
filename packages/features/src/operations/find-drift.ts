import type { RunningProcess } from '../upgrade/upgrade-view.js';

/** A gate that processes of one component run with different values. */
export interface Drift {
  readonly component: string;
  readonly gate: string;
  readonly on: readonly string[];
  readonly off: readonly string[];
  /** Processes that read two values in one life. */
  readonly mixed: readonly string[];
}

/** Every gate on which processes of a component disagree, by component and gate. Who does not have a gate does not disagree. */
export function findDrift(processes: readonly RunningProcess[]): readonly Drift[] {
  const components = [...new Set(processes.map(({ component }) => component))].sort();
  return components.flatMap((component) => {
    const own = processes.filter((process) => process.component === component);
    const distinct = new Map(own.flatMap(({ vector, gates }) => (gates ? [[vector, gates] as const] : [])));
    const names = [...new Set([...distinct.values()].flatMap((gates) => [...gates.keys()]))].sort();
    return names.filter((gate) => differs([...distinct.values()], gate)).map((gate) => driftOf(component, gate, own));
  });
}

/** Values are compared vector by vector: thousands of processes share a few. */
function differs(vectors: readonly NonNullable<RunningProcess['gates']>[], gate: string): boolean {
  const values = vectors.flatMap((gates) => gates.get(gate) ?? []);
  return values.some(({ mixed }) => mixed) || new Set(values.map(({ enabled }) => enabled)).size > 1;
}

function driftOf(component: string, gate: string, processes: readonly RunningProcess[]): Drift {
  const named = (wanted: 'on' | 'off' | 'mixed') =>
    processes.flatMap(({ name, gates }) => {
      const value = gates?.get(gate);
      return value && (value.mixed ? 'mixed' : value.enabled ? 'on' : 'off') === wanted ? [name] : [];
    });
  return { component, gate, on: named('on'), off: named('off'), mixed: named('mixed') };
}
