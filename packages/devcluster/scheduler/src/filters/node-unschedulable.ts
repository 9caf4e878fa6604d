import { tolerates } from '@slipway/kube-objects/rules/taints';
import { nodeFilter, permanent } from './filter.js';

/** What a cordon means to those that tolerate it. */
const cordon = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' } as const;

/** Cordoned nodes take only pods that tolerate it: daemons. */
export const nodeUnschedulable = nodeFilter('NodeUnschedulable', ({ pod }, { node }) => {
  if (!node.spec?.unschedulable || pod.spec.tolerations?.some((each) => tolerates(each, cordon))) return undefined;
  return permanent('node(s) were unschedulable');
});
