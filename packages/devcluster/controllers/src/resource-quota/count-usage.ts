import { formatQuantity, type KubeObject, parseQuantity, type ResourceRef, zeroQuantity } from '@slipway/kube';
import type { ResourceQuota } from '@slipway/kube-objects/kinds/api/resource-quotas';
import { isInScopes, requirementsOf } from '@slipway/kube-objects/rules/scopes';
import { addUsage, namesFor, type Usage, usageOf } from '@slipway/kube-objects/rules/usage';

/** The objects of one resource in the namespace of a quota. */
export interface Counted {
  readonly resource: ResourceRef;
  readonly objects: readonly KubeObject[];
}

/**
 * The status of a quota, given everything that it may count. What it limits of
 * resources that are not served is not used at all.
 */
export function quotaStatus({ spec }: ResourceQuota, counted: readonly Counted[], nowMs: number) {
  const hard = spec.hard ?? {};
  const names = Object.keys(hard);
  let usage: Usage = new Map();
  for (const { resource, objects } of counted) {
    const counts = new Set(namesFor(resource, names));
    for (const object of objects) {
      if (!isCounted(spec, resource, object)) continue;
      usage = addUsage(usage, new Map([...usageOf(resource, object, nowMs)].filter(([name]) => counts.has(name))));
    }
  }
  const used = names.map((name) => [name, formatQuantity(usage.get(name) ?? zeroQuantity)] as const);
  return { hard, used: Object.fromEntries(used) };
}

/** Only pods are told apart by scopes; a quota with scopes counts nothing else. */
function isCounted(spec: ResourceQuota['spec'], { group, plural }: ResourceRef, object: KubeObject): boolean {
  return group === '' && plural === 'pods' ? isInScopes(spec, object) : requirementsOf(spec).length === 0;
}

/** Whether two lists of amounts say the same, however they are written. */
export function sameAmounts(
  a: Readonly<Record<string, string>> = {},
  b: Readonly<Record<string, string>> = {},
): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => {
      const [x, y] = [a[name], b[name]];
      return x !== undefined && y !== undefined && parseQuantity(x).nano === parseQuantity(y).nano;
    })
  );
}
