import type { KubeObject } from '@slipway/kube';
import { Node, type NodeView, readNode } from '../nodes/node-view.js';
import { Pod } from '../pods/pod.js';
import type { ModelCluster } from './model-cluster.js';
import { choosePreemption, compareCosts, costOf, fitsOn, type Placement, priorityOf } from './model-preemption.js';

/** A scheduler that preempts as the one of Kubernetes does, and knows affinity. What it knows is never old. */
export class PreemptingScheduler {
  readonly #cluster: ModelCluster;
  /** Preemptions that the same cluster without balloons would not have seen. */
  readonly caused: string[] = [];
  /** Pods other than balloons that lost their place. */
  readonly preempted: string[] = [];

  constructor(cluster: ModelCluster) {
    this.#cluster = cluster;
  }

  async run(): Promise<void> {
    const pending = this.#cluster.pods().filter(({ spec, status }) => {
      return !spec?.nodeName && !spec?.schedulingGates?.length && status?.phase === 'Pending';
    });
    for (const pod of pending.sort((a, b) => priorityOf(b) - priorityOf(a))) await this.#schedule(pod);
  }

  async #schedule(pod: KubeObject): Promise<void> {
    const placement = this.#placement(() => true);
    const view = placement.nodes.find((each) => fitsOn(pod, each, placement));
    if (view) {
      this.#cluster.put(Pod, { ...pod, spec: { ...pod.spec, nodeName: view.name } });
      return;
    }
    const preemption = choosePreemption(pod, placement);
    if (preemption) {
      this.#judge(pod, preemption.victims);
      for (const victim of preemption.victims) await this.#cluster.deletePod(victim);
    }
    const message = 'no node is available: Insufficient cpu.';
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }];
    const nominated = preemption && { nominatedNodeName: preemption.node };
    if (pod.status?.nominatedNodeName === preemption?.node && pod.status?.conditions?.length === 1) return;
    this.#cluster.put(Pod, { ...pod, status: { phase: 'Pending', conditions, ...nominated } });
  }

  /** Compares with what the pod would have done if no node had a balloon or a taint of ours. */
  #judge(pod: KubeObject, all: readonly KubeObject[]): void {
    const victims = all.filter((each) => !isBalloon(each));
    if (victims.length === 0) return;
    const names = victims.map(({ metadata }) => metadata.name).join();
    this.preempted.push(names);
    const whole = this.#placement((each) => !isBalloon(each), withoutOurTaints);
    const say = (why: string) => this.caused.push(`${pod.metadata.name} preempted ${names}: ${why}`);
    const free = whole.nodes.find((each) => fitsOn(pod, each, whole));
    if (free) {
      say(`it fits on all of ${free.name}`);
      return;
    }
    const instead = choosePreemption(pod, whole);
    const costs = [costOf({ node: '', victims }), instead ? costOf(instead) : []] as const;
    if (compareCosts(...costs) > 0) say(`${instead?.victims.map(({ metadata }) => metadata.name)} would do`);
  }

  #placement(counts: (pod: KubeObject) => boolean, seen = (view: NodeView) => view): Placement {
    const pods = this.#cluster.pods().filter(({ spec, status }) => {
      return (spec?.nodeName || status?.nominatedNodeName) && status?.phase !== 'Failed';
    });
    const nodes = this.#cluster.api.stored(Node).map((node) => seen(readNode(node)));
    return { nodes, pods: pods.filter(counts) };
  }
}

function isBalloon({ metadata }: KubeObject): boolean {
  return metadata.namespace === 'kube-system';
}

function withoutOurTaints(view: NodeView): NodeView {
  return { ...view, taints: view.taints.filter(({ key }) => !key.startsWith('balloons.slipway.dev/')) };
}
