import type { RunningProcess } from '../upgrade/upgrade-view.js';

/** How a cluster runs a gate: the values of all processes of a component, `none` where none of them has the gate. */
export type GateUse = 'on' | 'off' | 'both' | 'none';

/** A gate that a component runs differently in two clusters. */
export interface Difference {
  readonly component: string;
  readonly gate: string;
  readonly one: GateUse;
  readonly other: GateUse;
}

/**
 * Lists what two clusters run differently, by component and gate. A component that only one cluster reports is listed
 * by its enabled gates.
 */
export function findDifferences(
  one: readonly RunningProcess[],
  other: readonly RunningProcess[],
): readonly Difference[] {
  const [left, right] = [usesOf(one), usesOf(other)];
  const components = [...new Set([...left.keys(), ...right.keys()])].sort();
  return components.flatMap((component) => {
    const [ours, theirs] = [left.get(component), right.get(component)];
    const gates = [...new Set([...(ours?.keys() ?? []), ...(theirs?.keys() ?? [])])].sort();
    return gates.flatMap((gate) => {
      const found = { component, gate, one: ours?.get(gate) ?? 'none', other: theirs?.get(gate) ?? 'none' } as const;
      const isMissing = !ours || !theirs;
      const counts = isMissing ? (found.one === 'none' ? found.other : found.one) !== 'off' : found.one !== found.other;
      return counts ? [found] : [];
    });
  });
}

function usesOf(processes: readonly RunningProcess[]): ReadonlyMap<string, ReadonlyMap<string, GateUse>> {
  const components = new Map<string, Map<string, GateUse>>();
  const seen = new Set<string>();
  for (const { component, vector, gates = new Map() } of processes) {
    // Thousands of processes share a few vectors.
    if (seen.has(`${component} ${vector}`)) continue;
    seen.add(`${component} ${vector}`);
    const uses = components.get(component) ?? new Map<string, GateUse>();
    components.set(component, uses);
    for (const { name, enabled, mixed } of gates.values()) {
      const value = mixed ? 'both' : enabled ? 'on' : 'off';
      const known = uses.get(name);
      uses.set(name, known === undefined || known === value ? value : 'both');
    }
  }
  return components;
}
