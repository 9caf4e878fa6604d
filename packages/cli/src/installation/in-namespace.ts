import { serverNamespace } from '@slipway/features';
import type { KubeObject } from '@slipway/kube';

/**
 * Moves an object of an installation from slipway-system to another namespace. Accounts are also named inside strings,
 * such as the CEL expressions of admission policies.
 */
export function inNamespace(object: KubeObject, namespace: string): KubeObject {
  const inside = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replaceAll(serverNamespace, namespace);
    if (Array.isArray(value)) return value.map(inside);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, inside(of)]));
  };
  return namespace === serverNamespace ? object : (inside(object) as KubeObject);
}
