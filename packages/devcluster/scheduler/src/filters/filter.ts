import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { ResourceClaim } from '@slipway/kube-objects/kinds/api/resource-claims';
import type { PersistentVolumeClaim } from '@slipway/kube-objects/kinds/api/volumes';
import type { Demand } from '../demand/demand.js';
import type { ClusterView } from '../view/cluster-view.js';
import type { NodeState } from '../view/node-state.js';

/** A scheduler plugin that rejects nodes, under its name in Kubernetes. */
export interface Filter {
  readonly name: string;
  /** Returns why the pod fits no node, independent of the nodes. */
  readonly refuses?: (demand: Demand, cluster: ClusterView) => string | undefined;
  /** Returns the names of the only possible nodes; undefined = all nodes. */
  readonly onlyOn?: (demand: Demand) => ReadonlySet<string> | undefined;
  /** Returns the check of nodes for one pod; undefined when the filter does not apply to the pod. */
  readonly prepare: (demand: Demand, cluster: ClusterView) => Check | undefined;
  /** Whether a pod that this filter rejected should be tried again after a change. */
  readonly helpedBy: (demand: Demand, change: ClusterChange, cluster: ClusterView) => boolean;
}

/** The check of one filter for one pod. */
export interface Check {
  /** Returns the objection to a node, if any. */
  on(state: NodeState): Objection | undefined;
  /** Returns the check after `other` was added to `node` (1) or removed (-1). Absent: only the node's own state counts. */
  after?(other: Demand, node: Node, by: 1 | -1): Check;
}

export interface Objection {
  /** The messages of Kubernetes, which kubectl shows and autoscalers parse. */
  readonly reasons: readonly string[];
  /** Whether preemption could remove this objection. */
  readonly removable: boolean;
}

/** A change of the cluster after which an unschedulable pod may fit. */
export type ClusterChange =
  | { readonly kind: 'node'; readonly before?: NodeState | undefined; readonly after: NodeState }
  | { readonly kind: 'node-gone' }
  | { readonly kind: 'pod'; readonly before?: Demand | undefined; readonly after?: Demand | undefined }
  | { readonly kind: 'namespace' }
  /** A volume, a class, or this claim. */
  | { readonly kind: 'volumes'; readonly claim?: PersistentVolumeClaim }
  /** A device class or a slice of devices. */
  | { readonly kind: 'devices' }
  | {
      readonly kind: 'resource-claim';
      readonly before?: ResourceClaim | undefined;
      readonly after?: ResourceClaim | undefined;
    };

/** Returns a filter that depends only on a node and the pods on it. */
export function nodeFilter(
  name: string,
  objection: (demand: Demand, state: NodeState) => Objection | undefined,
  more: {
    /** Whether the filter applies to the pod. Default: always. */
    readonly concerns?: (demand: Demand) => boolean;
    /** Whether the change or deletion of a pod may remove the objection. Default: never. */
    readonly helpedByPod?: (demand: Demand, before: Demand, after: Demand | undefined) => boolean;
    readonly onlyOn?: Filter['onlyOn'];
    readonly refuses?: Filter['refuses'];
  } = {},
): Filter {
  const { concerns = () => true, helpedByPod = () => false, onlyOn, refuses } = more;
  return {
    name,
    ...(onlyOn && { onlyOn }),
    ...(refuses && { refuses }),
    prepare: (demand) => (concerns(demand) ? { on: (state) => objection(demand, state) } : undefined),
    helpedBy(demand, change) {
      if (change.kind === 'pod') {
        return change.before !== undefined && helpedByPod(demand, change.before, change.after);
      }
      if (change.kind !== 'node' || objection(demand, change.after)) return false;
      return change.before === undefined || objection(demand, change.before) !== undefined;
    },
  };
}

/** Returns an objection that preemption cannot remove. */
export function permanent(reason: string): Objection {
  return { reasons: [reason], removable: false };
}

/** Returns an objection that other pods cause. */
export function removable(reason: string): Objection {
  return { reasons: [reason], removable: true };
}
