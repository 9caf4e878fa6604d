import type { Taint } from '../kinds/api/nodes.js';
import type { Toleration } from '../kinds/api/pods.js';

/** The first taint with one of these effects that no toleration covers. */
export function untolerated(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  effects: readonly Taint['effect'][],
): Taint | undefined {
  return taints.find((taint) => effects.includes(taint.effect) && !tolerations.some((each) => tolerates(each, taint)));
}

/** Whether a toleration covers a taint. An empty key with `Exists` covers all, an empty effect every effect. */
export function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return Boolean(key) && (value ?? '') === (taint.value ?? '');
}
