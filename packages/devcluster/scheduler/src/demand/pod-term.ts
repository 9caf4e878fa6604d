import { type LabelRequirement, type LabelSelector, type Labels, matchesLabels, requirementsOf } from '@slipway/kube';
import type { Pod, PodAffinityTerm } from '@slipway/kube-objects/kinds/api/pods';

/** Labels of a namespace; none when it is not known. */
export type NamespaceLabels = (namespace: string) => Labels;

/** Pods that a rule is about, and what counts as the same place as theirs. */
export interface PodTerm {
  /** Nodes with the same value of this label are one place. */
  readonly topologyKey: string;
  readonly selects: (pod: Pod, labelsOf: NamespaceLabels) => boolean;
}

/** Reads a term of `owner`'s pod affinity. @throws SelectorError */
export function podTerm(term: PodAffinityTerm, owner: Pod): PodTerm {
  const { topologyKey, namespaces = [], namespaceSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  const selected = podSelector(term.labelSelector, [
    ...sameLabels(owner, matchLabelKeys, 'In'),
    ...sameLabels(owner, mismatchLabelKeys, 'NotIn'),
  ]);
  const byLabels = namespaceSelector && requirementsOf(namespaceSelector);
  const byName = new Set(namespaces.length > 0 || namespaceSelector ? namespaces : [owner.metadata.namespace ?? '']);
  const spans = (namespace: string, labelsOf: NamespaceLabels) =>
    byName.has(namespace) || (byLabels ? matchesLabels(byLabels, labelsOf(namespace)) : false);
  return {
    topologyKey,
    selects: (pod, labelsOf) => selected(pod) && spans(pod.metadata.namespace ?? '', labelsOf),
  };
}

/** Whether labels of a pod fulfil a selector and more. An absent selector selects no pod. @throws SelectorError */
export function podSelector(
  selector: LabelSelector | null | undefined,
  more: readonly LabelRequirement[],
): (pod: Pod) => boolean {
  if (!selector) return () => false;
  const requirements = [...requirementsOf(selector), ...more];
  return ({ metadata }) => matchesLabels(requirements, metadata.labels);
}

/** The requirement to have the same values of these labels as `pod`, or not to; labels that it lacks do not count. */
export function sameLabels(pod: Pod, keys: readonly string[], operator: 'In' | 'NotIn'): readonly LabelRequirement[] {
  return keys.flatMap((key) => {
    const value = pod.metadata.labels?.[key];
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
}
