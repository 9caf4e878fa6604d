import type { KubeObject } from '@slipway/kube';
import type { FieldPath } from './field-path.js';

interface ManagedFields {
  readonly manager?: string;
  readonly fieldsV1?: unknown;
}

/** Who says to own a field, at most three. Below a list the list's owners are named. */
export function managersOf(object: KubeObject, path: FieldPath): readonly string[] {
  const stop = path.findIndex((step) => step.kind !== 'field');
  const names = (stop < 0 ? path : path.slice(0, stop)).flatMap((step) => (step.kind === 'field' ? [step.name] : []));
  const entries = (object.metadata.managedFields ?? []) as readonly ManagedFields[];
  const owners = entries.filter(({ fieldsV1 }) => owns(fieldsV1, names)).flatMap(({ manager }) => manager ?? []);
  return [...new Set(owners)].slice(0, 3);
}

function owns(fields: unknown, names: readonly string[]): boolean {
  const [name, ...rest] = names;
  if (name === undefined) return true;
  if (typeof fields !== 'object' || fields === null) return false;
  const child = (fields as Record<string, unknown>)[`f:${name}`];
  return child !== undefined && owns(child, rest);
}
