import { effectiveRequests, type KubeObject } from '@slipway/kube';
import { Node, type NodeView, readNode } from '../nodes/node-view.js';
import { type Amounts, amountsOf, plus, sum } from '../planner/amounts.js';
import { Pod } from '../pods/pod.js';
import { nodeOf } from '../world/balloon-world.js';
import type { ModelCluster } from './model-cluster.js';
import { shortOf } from './node-resources-fit.js';

/** What the scheduler once knew of a node. */
interface Known {
  readonly atMs: number;
  readonly nodes: ReadonlyMap<string, { readonly view: NodeView; readonly balloon: Amounts }>;
}

/**
 * Binds pods to nodes with room and without taint. Of taints, sizes and balloons it knows
 * what was true a while ago, so that it does bind pods to nodes that just shrank; its
 * own bindings it remembers. It does not preempt.
 */
export class ModelScheduler {
  readonly #cluster: ModelCluster;
  readonly #lagMs: number;
  #known: Known[] = [];

  constructor(cluster: ModelCluster, lagMs: number) {
    this.#cluster = cluster;
    this.#lagMs = lagMs;
  }

  run(): void {
    const nowMs = this.#cluster.clock.monotonicMs();
    this.#known.push({ atMs: nowMs, nodes: this.#observe() });
    const latest = this.#known.findLastIndex(({ atMs }) => atMs <= nowMs - this.#lagMs);
    this.#known = this.#known.slice(Math.max(0, latest));
    const [known] = this.#known;
    for (const pod of this.#cluster.pods()) if (known && isToBeBound(pod)) this.#bind(pod, known);
  }

  #observe(): Known['nodes'] {
    const nodes = this.#cluster.api.stored(Node).map(readNode);
    return new Map(nodes.map((view) => [view.name, { view, balloon: this.#taken(view.name, true) }]));
  }

  #bind(pod: KubeObject, known: Known): void {
    const wants = amountsOf(effectiveRequests(pod));
    const only = nodeOf(pod);
    const fits = [...known.nodes].find(([name, { view, balloon }]) => {
      if (only !== '' && only !== name) return false;
      if (!isBalloon(pod) && (view.leaving || view.taints.some(({ effect }) => effect === 'NoSchedule'))) return false;
      const others = isBalloon(pod) ? this.#taken(name, true) : balloon;
      return !shortOf(wants, plus(others, this.#taken(name, false)), view.allocatable);
    });
    if (fits) {
      this.#cluster.put(Pod, { ...pod, spec: { ...pod.spec, nodeName: fits[0] } });
      return;
    }
    const message = 'no node is available: Insufficient cpu.';
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
    if (pod.status?.conditions?.length !== 1)
      this.#cluster.put(Pod, { ...pod, status: { phase: 'Pending', conditions } });
  }

  #taken(node: string, balloons: boolean): Amounts {
    const pods = this.#cluster.pods().filter((pod) => pod.spec?.nodeName === node && isBalloon(pod) === balloons);
    return sum(pods.map((pod) => amountsOf(effectiveRequests(pod))));
  }
}

function isBalloon({ metadata }: KubeObject): boolean {
  return metadata.namespace === 'kube-system';
}

function isToBeBound({ spec, status }: KubeObject): boolean {
  return !spec?.nodeName && !spec?.schedulingGates?.length && status?.phase === 'Pending';
}
