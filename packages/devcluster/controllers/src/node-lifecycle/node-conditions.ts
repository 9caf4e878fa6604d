import { timestamp } from '@slipway/kube';
import type { Node, NodeCondition } from '@slipway/kube-objects/kinds/api/nodes';

/** The conditions that a kubelet reports, and that are Unknown when it is silent. */
const reported = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The conditions of a node that is not heard of any more. Those that others report stay as they are. */
export function unknownConditions({ metadata, status }: Node, nowMs: number): readonly NodeCondition[] {
  const known = status?.conditions ?? [];
  const unknown = known.map((condition): NodeCondition => {
    if (!reported.includes(condition.type) || condition.status === 'Unknown') return condition;
    return {
      ...condition,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: timestamp(nowMs),
    };
  });
  const missing = reported
    .filter((type) => !known.some((condition) => condition.type === type))
    .map((type): NodeCondition => {
      return {
        type,
        status: 'Unknown',
        reason: 'NodeStatusNeverUpdated',
        message: 'Kubelet never posted node status.',
        lastHeartbeatTime: metadata.creationTimestamp ?? timestamp(nowMs),
        lastTransitionTime: timestamp(nowMs),
      };
    });
  return [...unknown, ...missing];
}

/** Whether a node is said to be ready; undefined before the first report. */
export function readiness({ status }: Node): 'True' | 'False' | 'Unknown' | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}

/** Whether a node is said not to be ready, or not to be known. */
export function isAway(node: Node): boolean {
  const ready = readiness(node);
  return ready === 'False' || ready === 'Unknown';
}
