import type { LabelSelector } from '@slipway/kube';

/** A selector as Go prints it in events and conditions; `nil` for none. */
export function printedSelector(selector: LabelSelector | undefined): string {
  if (!selector) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  const map = `map[string]string{${labels.map(([key, value]) => `${key}: ${value},`).join('')}}`;
  return `&LabelSelector{MatchLabels:${map},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
