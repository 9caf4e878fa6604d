import type { KubeObject } from '@slipway/kube';

/** Paths of the fields that only exist while a gate is on: gate -> `spec.a.b`. */
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
    if (isEnabled(gate) || (old !== undefined && paths.some((path) => parentOf(old, path) !== undefined))) continue;
    for (const path of paths) {
      const parent = parentOf(object, path);
      if (parent !== undefined) delete parent[lastOf(path)];
    }
  }
}

/** The object that has the field a path names; undefined when it is not set. */
function parentOf(object: Fields, path: string): Fields | undefined {
  let at: unknown = object;
  for (const step of path.split('.').slice(0, -1)) at = isFields(at) ? at[step] : undefined;
  return isFields(at) && (at[lastOf(path)] ?? null) !== null ? at : undefined;
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
