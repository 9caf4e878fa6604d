import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { matchesNode } from '@slipway/kube-objects/rules/node-affinity';
import { nodeFilter, permanent } from './filter.js';

/** `nodeSelector` and required node affinity. Pods that name their nodes, as daemons do, are tried there only. */
export const nodeAffinity = nodeFilter(
  'NodeAffinity',
  ({ pod }, { node }) =>
    matchesNode(pod, node) ? undefined : permanent("node(s) didn't match Pod's node affinity/selector"),
  {
    concerns: ({ pod }) => pod.spec.nodeSelector !== undefined || requiredTerms(pod) !== undefined,
    onlyOn: ({ pod }) => namedNodes(pod),
    refuses: ({ pod }) => (namedNodes(pod)?.size === 0 ? 'pod affinity terms conflict' : undefined),
  },
);

function requiredTerms({ spec }: Pod) {
  return spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
}

/** Nodes that the terms name, when each term names some. */
function namedNodes(pod: Pod): ReadonlySet<string> | undefined {
  const named = new Set<string>();
  for (const { matchFields = [] } of requiredTerms(pod) ?? []) {
    const lists = matchFields.filter(({ key, operator }) => key === 'metadata.name' && operator === 'In');
    const [first, ...others] = lists.map(({ values = [] }) => values);
    if (!first) return undefined;
    for (const name of first) if (others.every((names) => names.includes(name))) named.add(name);
  }
  return requiredTerms(pod)?.length ? named : undefined;
}
