import type { KubeObject } from '@slipway/kube';
import { readNode } from '../nodes/node-view.js';
import { type Amounts, formatAmounts, minus, parseAmounts, sameAmounts, sum, within } from '../planner/amounts.js';
import { Pod } from '../pods/pod.js';
import type { ModelCluster } from './model-cluster.js';
import { type Eviction, ModelMemory } from './model-memory.js';
import { shortOf } from './node-resources-fit.js';

/** Why a balloon got more than it had, and when: for who checks that there was a ticket. */
export interface Growth {
  readonly pod: KubeObject;
  readonly atMs: number;
}

/**
 * Admits pods and resizes them (K1 to K4, K7 of the design). What it has set aside it
 * keeps over a restart. Up to 1.36 it makes room for a critical pod that grows by
 * ending others, unless the control plane knows the class of the proposal.
 */
export class ModelKubelet {
  readonly #cluster: ModelCluster;
  readonly #node: string;
  readonly #allocated = new Map<string, Amounts>();
  /** Does nothing, and remembers. */
  isStopped = false;
  /** Memory of pods may swap, so none of it is resized. */
  swaps = false;
  readonly grown: Growth[] = [];
  readonly memory = new ModelMemory();
  readonly evicted: Eviction[] = [];

  constructor(cluster: ModelCluster, node: string) {
    this.#cluster = cluster;
    this.#node = node;
  }

  sync(): void {
    if (this.isStopped) return;
    const mine = this.#mine();
    const present = new Set(mine.map(({ metadata }) => metadata.uid ?? ''));
    for (const uid of this.#allocated.keys()) if (!present.has(uid)) this.#allocated.delete(uid);
    for (const pod of mine) if (!this.#allocated.has(pod.metadata.uid ?? '')) this.#admit(pod);
    const resized = this.#mine().filter((pod) => this.#wantsOther(pod));
    const shrinking = resized.filter((pod) => within(requestsOf(pod), this.#of(pod)));
    for (const pod of [...shrinking, ...resized.filter((each) => !shrinking.includes(each))]) this.#resize(pod);
    for (const pod of this.#mine()) if (!this.#wantsOther(pod)) this.#report(pod, []);
    this.#evict();
  }

  /** All that is set aside here. */
  allocated(): Amounts {
    return sum(this.#allocated.values());
  }

  #mine(): readonly KubeObject[] {
    const pods = this.#cluster
      .pods()
      .filter(({ spec, status }) => spec?.nodeName === this.#node && status?.phase !== 'Failed');
    return pods.sort((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion));
  }

  #admit(pod: KubeObject): void {
    const wants = requestsOf(pod);
    const short = this.#shortOf(wants, this.allocated());
    if (short) {
      this.#fail(pod, `OutOf${short}`);
      return;
    }
    this.#allocated.set(pod.metadata.uid ?? '', wants);
    this.#report(pod, []);
  }

  #resize(pod: KubeObject): void {
    const wants = requestsOf(pod);
    const has = this.#of(pod);
    if (this.swaps && wants.memory !== has.memory) {
      const message = 'In-place resize of containers with swap is not supported';
      const condition = { type: 'PodResizePending', status: 'True', reason: 'Infeasible', message };
      this.#report(pod, [{ ...condition, observedGeneration: pod.metadata.generation }]);
      return;
    }
    const others = minus(this.allocated(), has);
    const short = within(wants, has) ? undefined : this.#shortOf(wants, others);
    if (short && !this.#makeRoom(pod, wants)) {
      this.#report(pod, [this.#pending(pod, wants, short)]);
      return;
    }
    this.#allocated.set(pod.metadata.uid ?? '', wants);
    if (!within(wants, has)) this.grown.push({ pod, atMs: this.#cluster.clock.monotonicMs() });
    this.#report(pod, []);
  }

  #pending({ metadata }: KubeObject, wants: Amounts, message: string): object {
    const { capacity } = this.#cluster.node(this.#node)?.status ?? {};
    const reason = within(wants, parseAmounts(capacity)) ? 'Deferred' : 'Infeasible';
    return { type: 'PodResizePending', status: 'True', reason, message, observedGeneration: metadata.generation };
  }

  /** Ends pods that are not critical until a critical one fits. */
  #makeRoom(pod: KubeObject, wants: Amounts): boolean {
    if ((pod.spec?.priority ?? 0) < 2_000_000_000 || pod.spec?.priorityClassName === 'system-balloon') return false;
    const { kubeletVersion = '' } = this.#cluster.node(this.#node)?.status?.nodeInfo ?? {};
    if (Number(/^v1\.(\d+)/.exec(kubeletVersion)?.[1]) >= 37) return false;
    for (const victim of this.#mine().filter(({ spec }) => (spec?.priority ?? 0) < 2_000_000_000)) {
      this.#fail(victim, 'Preempting');
      if (!this.#shortOf(wants, minus(this.allocated(), this.#of(pod)))) return true;
    }
    return false;
  }

  #evict(): void {
    const node = this.#cluster.node(this.#node);
    const bytes = node ? readNode(node).allocatable.memory : 0n;
    for (let next = this.memory.eviction(this.#mine(), bytes); next; next = this.memory.eviction(this.#mine(), bytes)) {
      this.evicted.push(next);
      this.#fail(next.pod, 'Evicted');
    }
  }

  #fail(pod: KubeObject, reason: string): void {
    this.#allocated.delete(pod.metadata.uid ?? '');
    this.#cluster.put(Pod, { ...pod, status: { phase: 'Failed', reason } });
  }

  #shortOf(wants: Amounts, taken: Amounts): 'cpu' | 'memory' | undefined {
    const node = this.#cluster.node(this.#node);
    return node ? shortOf(wants, taken, readNode(node).allocatable) : 'cpu';
  }

  #report(pod: KubeObject, conditions: readonly object[]): void {
    const set = formatAmounts(this.#of(pod));
    const [container] = pod.spec?.containers ?? [];
    const containerStatuses = [{ name: container.name, allocatedResources: set, resources: { requests: set } }];
    const status = { phase: 'Running', conditions, containerStatuses };
    if (JSON.stringify(status) !== JSON.stringify(pod.status)) this.#cluster.put(Pod, { ...pod, status });
  }

  #wantsOther(pod: KubeObject): boolean {
    return this.#allocated.has(pod.metadata.uid ?? '') && !sameAmounts(requestsOf(pod), this.#of(pod));
  }

  #of(pod: KubeObject): Amounts {
    return this.#allocated.get(pod.metadata.uid ?? '') ?? parseAmounts(undefined);
  }
}

function requestsOf(pod: KubeObject): Amounts {
  return parseAmounts(pod.spec?.containers[0].resources.requests);
}
