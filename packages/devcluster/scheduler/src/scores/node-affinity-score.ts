import { preference } from '@slipway/kube-objects/rules/node-affinity';
import { type Score, stretched } from './score.js';

/** Nodes that fulfil more of the preferred node affinity. */
export const nodeAffinityScore: Score = {
  weight: 2,
  rate({ pod }, feasible) {
    if (!pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.length) return undefined;
    return stretched(feasible.map(({ node }) => preference(pod, node)));
  },
};
