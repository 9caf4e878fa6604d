import type { Taint } from '@slipway/kube-objects/kinds/api/nodes';
import type { Toleration } from '@slipway/kube-objects/kinds/api/pods';
import { tolerates } from '@slipway/kube-objects/rules/taints';

/**
 * Returns how long a pod tolerates the NoExecute taints of its node, in milliseconds: 0 when one of them is not
 * tolerated, Infinity when all are tolerated without a limit. Of each taint's tolerations the first that covers it
 * counts; of several limits the shortest.
 */
export function bearableMs(taints: readonly Taint[], tolerations: readonly Toleration[]): number {
  const limits = taints
    .filter(({ effect }) => effect === 'NoExecute')
    .map((taint) => {
      const toleration = tolerations.find((each) => tolerates(each, taint));
      if (!toleration) return 0;
      const { tolerationSeconds = Number.POSITIVE_INFINITY } = toleration;
      return Math.max(0, tolerationSeconds * 1000);
    });
  return Math.min(...limits, Number.POSITIVE_INFINITY);
}
