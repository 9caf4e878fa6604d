import { untolerated } from '@slipway/kube-objects/rules/taints';
import { type Filter, nodeFilter, permanent } from './filter.js';

/** Taints keep pods away that do not tolerate them. `named` = the reason says which taint, as before Kubernetes 1.34. */
export function taintToleration(named: boolean): Filter {
  return nodeFilter('TaintToleration', ({ pod }, { node }) => {
    const taint = untolerated(node.spec?.taints ?? [], pod.spec.tolerations ?? [], ['NoSchedule', 'NoExecute']);
    if (!taint) return undefined;
    const which = named ? `taint {${taint.key}: ${taint.value ?? ''}}` : 'taint(s)';
    return permanent(`node(s) had untolerated ${which}`);
  });
}
