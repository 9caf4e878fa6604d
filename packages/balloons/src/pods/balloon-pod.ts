import { controllerOf, type KubeObject } from '@slipway/kube';
import { balloonContainer, keys } from '../api/group.js';
import { type Amounts, type AmountsText, parseAmounts } from '../planner/amounts.js';

/** The properties of a balloon pod, read from one snapshot. */
export interface BalloonPod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** Counts changes of the spec; alpha in 1.33, so it may be missing. */
  readonly generation: number | undefined;
  readonly deleting: boolean;
  readonly running: boolean;
  /** It has the scheduling gate that is removed once it has its size. */
  readonly gated: boolean;
  /** It has a node. */
  readonly bound: boolean;
  /** A scheduler found no room for it. */
  readonly unschedulable: boolean;
  readonly priority: PodPriority;
  /** Reason of its condition `DisruptionTarget`: `PreemptionByScheduler`, `EvictionByEvictionAPI` and so on. */
  readonly disruption: string | undefined;
  /** The requests in its spec. */
  readonly desired: Amounts;
  /** What the kubelet has allocated to it. */
  readonly allocated: Amounts;
  /** What its container runs with. */
  readonly actual: Amounts;
  /** Why the kubelet has not accepted the spec, if so. */
  readonly pending: Pending | undefined;
  /** Error of the kubelet while it applies an accepted resize, which it retries. */
  readonly failing: string | undefined;
  readonly inProgress: boolean;
}

/** The resolved priority of a pod. */
export interface PodPriority {
  readonly className: string;
  readonly value: number;
  /** `Never` does not preempt. */
  readonly preemptionPolicy: string | undefined;
}

export interface Pending {
  /** `Deferred`: it would fit at another time. `Infeasible`: never. */
  readonly reason: 'Deferred' | 'Infeasible';
  readonly message: string;
  /** Generation of the spec that was judged; missing before 1.34. */
  readonly observedGeneration: number | undefined;
}

/**
 * Reads a balloon pod. Servers older than 1.34 do not report `allocatedResources`;
 * `status.resources` then says the same of memory, and of cpu once it runs with it.
 * @throws QuantityError when an amount cannot be read.
 */
export function readBalloonPod(pod: KubeObject): BalloonPod {
  const { namespace = '', name = '', uid = '', resourceVersion = '', generation, deletionTimestamp } = pod.metadata;
  const desired = parseAmounts(containerOf(pod.spec?.containers)?.resources?.requests);
  const status = containerOf(pod.status?.containerStatuses);
  const actual = status?.resources?.requests ? parseAmounts(status.resources.requests) : desired;
  const pending = conditionOf(pod, 'PodResizePending');
  const progress = conditionOf(pod, 'PodResizeInProgress');
  const disruption = conditionOf(pod, 'DisruptionTarget');
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    generation,
    deleting: deletionTimestamp !== undefined,
    running: pod.status?.phase === 'Running',
    gated: isGated(pod),
    bound: Boolean(pod.spec?.nodeName),
    unschedulable: isUnschedulable(pod),
    priority: {
      className: pod.spec?.priorityClassName ?? '',
      value: pod.spec?.priority ?? 0,
      preemptionPolicy: pod.spec?.preemptionPolicy,
    },
    disruption: disruption?.reason,
    desired,
    allocated: status?.allocatedResources ? parseAmounts(status.allocatedResources) : actual,
    actual,
    pending: pending && {
      reason: pending.reason === 'Infeasible' ? 'Infeasible' : 'Deferred',
      message: pending.message ?? '',
      observedGeneration: pending.observedGeneration,
    },
    failing: progress?.reason === 'Error' ? (progress.message ?? '') : undefined,
    inProgress: progress !== undefined,
  };
}

/**
 * Whether a pod is one of our balloons. The label alone says nothing: whoever may label
 * pods could hide with it what they use.
 */
export function isBalloonPod(pod: KubeObject, namespace: string): boolean {
  if (pod.metadata.namespace !== namespace || pod.metadata.labels?.[keys.balloon] !== 'true') return false;
  const owner = controllerOf(pod);
  return owner?.kind === 'DaemonSet' && owner.name.startsWith(daemonSetName(''));
}

/** Name of the DaemonSet of a policy. */
export const daemonSetName = (policy: string) => `slipway-balloon-${policy}`;

function isGated(pod: KubeObject): boolean {
  const gates: readonly { readonly name: string }[] = pod.spec?.schedulingGates ?? [];
  return gates.some(({ name }) => name === keys.sizeGate);
}

function isUnschedulable(pod: KubeObject): boolean {
  const conditions: readonly PodCondition[] = pod.status?.conditions ?? [];
  return conditions.some(({ type, status, reason }) => {
    return type === 'PodScheduled' && status === 'False' && reason === 'Unschedulable';
  });
}

interface Container {
  readonly name: string;
  readonly allocatedResources?: AmountsText;
  readonly resources?: { readonly requests?: AmountsText };
}

function containerOf(containers: readonly Container[] | undefined): Container | undefined {
  return containers?.find(({ name }) => name === balloonContainer);
}

interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

/** Resize conditions are there only while they are true. */
function conditionOf(pod: KubeObject, type: string): PodCondition | undefined {
  const conditions: readonly PodCondition[] = pod.status?.conditions ?? [];
  return conditions.find((condition) => condition.type === type && condition.status === 'True');
}
