/** A gate and the gates it depends on. */
export interface Depending {
  readonly gate: string;
  readonly dependsOn?: readonly string[];
}

/**
 * A circle of dependencies that a gate is part of, as `A -> B -> A`: each would wait for
 * the other without end. Undefined when there is none; a gate that merely leads to one is not part of it.
 */
export function dependencyCycle(gate: Depending, others: readonly Depending[]): string | undefined {
  const byName = new Map(others.map((other) => [other.gate, other]));
  const seen = new Set<string>();
  const find = (at: Depending, way: readonly string[]): readonly string[] | undefined => {
    for (const next of at.dependsOn ?? []) {
      if (next === gate.gate) return [...way, next];
      const known = byName.get(next);
      if (!known || seen.has(next)) continue;
      seen.add(next);
      const circle = find(known, [...way, next]);
      if (circle) return circle;
    }
    return undefined;
  };
  return find(gate, [gate.gate])?.join(' -> ');
}
