import { tolerates } from '@slipway/kube-objects/rules/taints';
import { type Score, stretchedDown } from './score.js';

/** Nodes with fewer `PreferNoSchedule` taints that the pod does not tolerate. */
export const taintScore: Score = {
  weight: 3,
  rate({ pod }, feasible) {
    const { tolerations = [] } = pod.spec;
    const counts = feasible.map(({ node }) => {
      const soft = (node.spec?.taints ?? []).filter(({ effect }) => effect === 'PreferNoSchedule');
      return soft.filter((taint) => !tolerations.some((each) => tolerates(each, taint))).length;
    });
    return counts.every((count) => count === 0) ? undefined : stretchedDown(counts);
  },
};
