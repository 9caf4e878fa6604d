import { effectiveRequests, findCondition, type Informer, type KubeObject } from '@slipway/kube';
import { type Amounts, amountsOf, minus, nothing, plus } from '../planner/amounts.js';
import { isBalloonPod } from '../pods/balloon-pod.js';
import { type Neighbour, neighbourOf } from '../pods/neighbour.js';
import { type Replica, replicaOf } from '../pods/replica.js';

/** What is kept of each pod: a cluster has far more of them than fit into memory whole. */
export interface PodShare extends KubeObject {
  readonly share: {
    readonly node: string;
    readonly amounts: Amounts;
    /** It wants to grow and the kubelet makes it wait. */
    readonly deferred: boolean;
    readonly isBalloon: boolean;
    /** Why it failed or is preempted, in one word; undefined while neither is so. */
    readonly failure: string | undefined;
    /** What of it counts for where others may run; undefined once it has ended, and of a pod without a node. */
    readonly neighbour: Neighbour | undefined;
    /** One more pod of its workload, where that might preempt others; undefined for balloons, and once it has ended. */
    readonly replica: Replica | undefined;
  };
}

/** The transform of the informer that `RequestedAmounts` follows; balloons live in `balloonNamespace`. */
export function podShare(balloonNamespace: string): (pod: KubeObject) => PodShare {
  return (pod) => shareOf(pod, isBalloonPod(pod, balloonNamespace));
}

function shareOf(pod: KubeObject, isBalloon: boolean): PodShare {
  const { namespace, name, uid, resourceVersion } = pod.metadata;
  return {
    apiVersion: pod.apiVersion,
    kind: pod.kind,
    metadata: {
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    share: {
      node: pod.spec?.nodeName ?? '',
      amounts: amountsOf(effectiveRequests(pod)),
      deferred: isDeferred(pod),
      isBalloon,
      failure: failureOf(pod),
      neighbour: isOnNode(pod) ? asNeighbour(pod, isBalloon) : undefined,
      replica: isBalloon || !isOnNode(pod) ? undefined : replicaOf(pod),
    },
  };
}

/** What a balloon takes is no part of the size of its node. */
function asNeighbour(pod: KubeObject, isBalloon: boolean): Neighbour {
  const neighbour = neighbourOf(pod);
  return isBalloon ? { ...neighbour, amounts: nothing } : neighbour;
}

function isOnNode({ spec, status }: KubeObject): boolean {
  return Boolean(spec?.nodeName) && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

/** The scheduler deletes a pod that it preempts, so such a pod need not fail. */
function failureOf({ status, metadata }: KubeObject): string | undefined {
  const target = findCondition(status?.conditions, 'DisruptionTarget');
  if (metadata.deletionTimestamp !== undefined && target?.reason === 'PreemptionByScheduler') return target.reason;
  return status?.phase === 'Failed' ? (status.reason ?? 'Failed') : undefined;
}

function isDeferred(pod: KubeObject): boolean {
  const conditions: readonly { readonly type: string; readonly reason?: string }[] = pod.status?.conditions ?? [];
  return conditions.some(({ type, reason }) => type === 'PodResizePending' && reason === 'Deferred');
}

interface Sum {
  amounts: Amounts;
  deferred: number;
}

/** What the pods of each node ask for, balloons apart; kept up to date pod by pod, never counted anew. */
export class RequestedAmounts {
  readonly #sums = new Map<string, Sum>();
  readonly #changed: (node: string) => void;

  /** `changed` is called with the name of a node whose sum is another now. */
  constructor(pods: Informer<PodShare>, changed: (node: string) => void) {
    this.#changed = changed;
    pods.onChange(({ type, object, previous }) => {
      if (type === 'deleted') return this.#count(object, -1);
      if (previous && sameShare(previous, object)) return;
      if (previous) this.#count(previous, -1);
      this.#count(object, 1);
    });
  }

  /** What the pods of a node ask for together. */
  of(node: string): Amounts {
    return this.#sums.get(node)?.amounts ?? nothing;
  }

  /** Whether a pod of the node waits to grow: the space is spoken for. */
  isAwaited(node: string): boolean {
    return (this.#sums.get(node)?.deferred ?? 0) > 0;
  }

  #count({ share }: PodShare, times: 1 | -1): void {
    if (share.node === '' || share.isBalloon) return;
    const sum = this.#sums.get(share.node) ?? { amounts: nothing, deferred: 0 };
    sum.amounts = times === 1 ? plus(sum.amounts, share.amounts) : minus(sum.amounts, share.amounts);
    if (share.deferred) sum.deferred += times;
    this.#sums.set(share.node, sum);
    this.#changed(share.node);
  }
}

function sameShare({ share: a }: PodShare, { share: b }: PodShare): boolean {
  return (
    a.node === b.node &&
    a.deferred === b.deferred &&
    a.isBalloon === b.isBalloon &&
    a.amounts.cpu === b.amounts.cpu &&
    a.amounts.memory === b.amounts.memory
  );
}
