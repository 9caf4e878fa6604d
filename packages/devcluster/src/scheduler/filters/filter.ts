import type { Node } from '../../kube-objects/kinds/api/nodes.js';
import type { Demand } from '../demand/demand.js';
import type { ClusterView } from '../view/cluster-view.js';
import type { NodeState } from '../view/node-state.js';

/** A reason why pods cannot go to nodes, under the name that Kubernetes gives the plugin. */
export interface Filter {
  readonly name: string;
  /** Why the pod fits nowhere, whatever the nodes. */
  readonly refuses?: (demand: Demand, cluster: ClusterView) => string | undefined;
  /** Names of the only nodes worth asking about; undefined when all are. */
  readonly onlyOn?: (demand: Demand) => ReadonlySet<string> | undefined;
  /** Gets ready to judge nodes for one pod; undefined when there is nothing to judge. */
  readonly prepare: (demand: Demand, cluster: ClusterView) => Check | undefined;
  /** Whether a pod to which this filter objected is worth another try after something happened. */
  readonly helpedBy: (demand: Demand, happening: Happening, cluster: ClusterView) => boolean;
}

/** The judgement of one filter about one pod. */
export interface Check {
  /** What is against this node, if anything. */
  on(state: NodeState): Objection | undefined;
  /** The same judgement with `other` come to `node` (1) or gone (-1). Absent: only the node's own state counts. */
  after?(other: Demand, node: Node, by: 1 | -1): Check;
}

export interface Objection {
  /** Protocol texts: kubectl and autoscalers show and read them. */
  readonly reasons: readonly string[];
  /** Whether it might go away if pods were taken off the node. */
  readonly curable: boolean;
}

/** What can make a pod fit that did not. */
export type Happening =
  | { readonly kind: 'node'; readonly before?: NodeState | undefined; readonly after: NodeState }
  | { readonly kind: 'node-gone' }
  | { readonly kind: 'pod'; readonly before?: Demand | undefined; readonly after?: Demand | undefined }
  | { readonly kind: 'namespace' }
  | { readonly kind: 'volumes' };

/** A filter that looks at a node and what is on it, and at nothing else. */
export function nodeFilter(
  name: string,
  objection: (demand: Demand, state: NodeState) => Objection | undefined,
  more: {
    /** Whether there is anything to judge; always when absent. */
    readonly concerns?: (demand: Demand) => boolean;
    /** Whether it helps that pods change or go; never when absent. */
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
    helpedBy(demand, happening) {
      if (happening.kind === 'pod') {
        return happening.before !== undefined && helpedByPod(demand, happening.before, happening.after);
      }
      if (happening.kind !== 'node' || objection(demand, happening.after)) return false;
      return happening.before === undefined || objection(demand, happening.before) !== undefined;
    },
  };
}

/** An objection that stays whatever other pods do. */
export function incurable(reason: string): Objection {
  return { reasons: [reason], curable: false };
}

/** An objection that other pods are the cause of. */
export function curable(reason: string): Objection {
  return { reasons: [reason], curable: true };
}
