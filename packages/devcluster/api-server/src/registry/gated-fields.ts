import type { KubeObject } from '@slipway/kube';

/** Paths of the fields that only exist while a gate is on: gate -> `spec.a.b`, `spec.list[*].b`. */
export type GatedFields = Readonly<Record<string, readonly string[]>>;

type Fields = Record<string, unknown>;

/**
 * Drops what a writer may not set because its gate is off, in place. A stored
 * object that already uses a field of the gate may keep using it: otherwise
 * turning a gate off would make such objects impossible to update.
 */
export function dropDisabledFields(
  object: KubeObject,
  old: KubeObject | undefined,
  gated: GatedFields,
  isEnabled: (gate: string) => boolean,
): void {
  for (const [gate, paths] of Object.entries(gated)) {
    if (isEnabled(gate) || (old !== undefined && paths.some((path) => parentsOf(old, path).length > 0))) continue;
    for (const path of paths) for (const parent of parentsOf(object, path)) delete parent[lastOf(path)];
  }
}

/** The objects that have the field a path names; none when it is not set. */
function parentsOf(object: Fields, path: string): readonly Fields[] {
  let at: readonly unknown[] = [object];
  for (const step of path.split('.').slice(0, -1)) {
    const name = step.replace(/\[\*\]$/, '');
    const below = at.flatMap((value) => (isFields(value) ? [value[name]] : []));
    at = name === step ? below : below.flatMap((list) => (Array.isArray(list) ? list : []));
  }
  return at.filter((value): value is Fields => isFields(value) && (value[lastOf(path)] ?? null) !== null);
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
