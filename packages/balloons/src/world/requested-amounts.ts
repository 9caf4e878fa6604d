import { effectiveRequests, findCondition, type Informer, type KubeObject } from '@slipway/kube';
import { type Amounts, amountsOf, minus, nothing, plus } from '../planner/amounts.js';
import { isBalloonPod } from '../pods/balloon-pod.js';
import { type Neighbour, neighbourOf } from '../pods/neighbour.js';
import { type Replica, replicaOf } from '../pods/replica.js';

/** The part of a pod that is cached; whole pods of a large cluster would not fit into memory. */
export interface PodShare extends KubeObject {
  readonly share: {
    readonly node: string;
    readonly amounts: Amounts;
    /** Its resize is `Deferred`. */
    readonly deferred: boolean;
    readonly isBalloon: boolean;
    /** Reason why it failed or is being preempted, if so. */
    readonly failure: string | undefined;
    /** Undefined for a pod that has ended or has no node. */
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

/** The requests of a balloon do not count: sizes exclude them. */
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

/** The requests of the pods of each node, without balloons; updated by each change of a pod. */
export class RequestedAmounts {
  readonly #sums = new Map<string, Sum>();
  readonly #changed: (node: string) => void;

  /** `changed` receives the name of a node whose sum has changed. */
  constructor(pods: Informer<PodShare>, changed: (node: string) => void) {
    this.#changed = changed;
    pods.onChange(({ type, object, previous }) => {
      if (type === 'deleted') return this.#count(object, -1);
      if (previous && sameShare(previous, object)) return;
      if (previous) this.#count(previous, -1);
      this.#count(object, 1);
    });
  }

  /** Returns the sum of the requests on a node. */
  of(node: string): Amounts {
    return this.#sums.get(node)?.amounts ?? nothing;
  }

  /** Whether a pod of the node waits to be resized to more. */
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
