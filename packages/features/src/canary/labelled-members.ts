import type { CanaryRule } from '@slipway/feature-gates';
import type { Kube } from '@slipway/kube';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import { Node, Pod } from '../references/core-resources.js';
import type { Labelled } from './reach.js';

/** Asks the API once which nodes and pods have the labels that the rules name. */
export async function labelledMembers(
  kube: Kube,
  { components }: FeatureDefinitionSpec,
  namespace: string,
  rules: readonly CanaryRule[],
  signal: AbortSignal,
): Promise<Labelled> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const { name, roster, namespace: where = namespace } of components) {
    for (const rule of rules) {
      if (!rule.selector) continue;
      const labelSelector = selectorText(rule);
      const { items } =
        roster === 'Pods'
          ? await kube.resource(Pod).list({ namespace: where, labelSelector, signal })
          : await kube.resource(Node).list({ labelSelector, signal });
      found.set(`${name} ${labelSelector}`, new Set(items.map(({ metadata }) => metadata.name ?? '')));
    }
  }
  return (component, rule) => found.get(`${component} ${selectorText(rule)}`) ?? new Set();
}

/** `zone=a,pool=blue`. */
export function selectorText({ selector }: Pick<CanaryRule, 'selector'>): string {
  return Object.entries(selector?.matchLabels ?? {})
    .map(([label, value]) => `${label}=${value}`)
    .join(',');
}
