import type { Condition } from '@slipway/kube';
import type { DeviceTaintRule } from '@slipway/kube-objects/kinds/api/devices';

/** What a rule concerns at a moment. */
export interface RuleCounts {
  /** Pods that have to go because of the rule, or had to if its effect were NoExecute, and namespaces that they are in. */
  readonly pods: number;
  readonly namespaces: number;
  /** Devices that it selects: in the newest slices of their pools, and allocated to claims. */
  readonly published: number;
  readonly allocated: number;
  /** Pods that were evicted because of it since the controller started. */
  readonly evicted: number;
}

/** Returns the condition of a rule without its time, in the words of Kubernetes. */
export function ruleCondition(
  { spec, metadata }: DeviceTaintRule,
  counts: RuleCounts,
): Omit<Condition, 'lastTransitionTime'> {
  const { reason, message, isTrue = false } = stateOf(spec.taint.effect, counts);
  const { evicted } = counts;
  const told = evicted > 0 ? [`${some(evicted, 'pod')} evicted since starting the controller.`] : [];
  return {
    type: 'EvictionInProgress',
    status: isTrue ? 'True' : 'False',
    reason,
    message: [...message, ...told].join(' '),
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
  };
}

interface State {
  readonly reason: string;
  readonly message: readonly string[];
  readonly isTrue?: boolean;
}

function stateOf(effect: string, { pods, namespaces, published, allocated, evicted }: RuleCounts): State {
  const where = namespaces === 1 ? '1 namespace' : `${namespaces} different namespaces`;
  if (effect === 'NoExecute') {
    if (pods === 0) return { reason: evicted > 0 ? 'Completed' : 'NotStarted', message: [] };
    const message = `${some(pods, 'pod')} ${pods === 1 ? 'needs' : 'need'} to be evicted in ${where}.`;
    return { reason: 'PodsPendingEviction', message: [message], isTrue: true };
  }
  if (effect !== 'None') return { reason: 'OtherEffect', message: ['Eviction only happens for the NoExecute effect.'] };
  return {
    reason: 'NoEffect',
    message: [
      `${some(published, 'published device')} selected.`,
      `${some(allocated, 'allocated device')} selected.`,
      `${some(pods, 'pod')} would be evicted in ${where} if the effect was NoExecute.`,
      'This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.',
    ],
  };
}

function some(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
