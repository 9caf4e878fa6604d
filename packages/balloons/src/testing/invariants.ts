import { effectiveRequests, type FinishedSpan, type KubeObject } from '@slipway/kube';
import { keys } from '../api/group.js';
import type { NodeSize } from '../api/node-size.js';
import { readNode } from '../nodes/node-view.js';
import { amountsOf, parseAmounts, plus, sameAmounts, sum, within } from '../planner/amounts.js';
import { readBalloonPod } from '../pods/balloon-pod.js';
import { nodeOf } from '../world/balloon-world.js';
import type { ModelCluster } from './model-cluster.js';
import { shortOf } from './node-resources-fit.js';

/** What a policy allows at most: observeSeconds and rollbackSeconds (I8), and fence.maxSeconds (I13). A request may hang meanwhile. */
const mostExposedMs = 20_000;
const mostFencedMs = 15_000;
/** What any scheduler here knows is not older, with the step in which it binds. */
const mostSchedulerLagMs = 500;
/** More than the slowest answer in any history takes. */
const slackMs = 10_000;

/** Watches a cluster and remembers what it saw that must never be (8.1 of the design). */
export class Invariants {
  readonly broken: string[] = [];
  readonly #cluster: ModelCluster;
  readonly #exposed = new Map<string, { readonly sinceMs: number; readonly leaderlessMs: number }>();
  readonly #fenced = new Map<string, { readonly sinceMs: number; readonly leaderlessMs: number }>();
  readonly #counted = new Map<string, number>();
  /** Nodes that lost hardware: pods that were there before may be too many. */
  readonly #cut = new Set<string>();
  /** Pods that another client resized: their growth is not ours. */
  readonly #foreign = new Set<string>();
  /** When another client last resized the balloon of a node: no fence kept the scheduler from it. */
  readonly #foreignAtMs = new Map<string, number>();
  readonly #endedPods = new Set<string>();

  constructor(cluster: ModelCluster) {
    this.#cluster = cluster;
    cluster.onStep(() => this.#check());
  }

  cut(node: string): void {
    this.#cut.add(node);
  }

  foreign(pod: KubeObject): void {
    this.#foreign.add(pod.metadata.uid ?? '');
    this.#foreignAtMs.set(nodeOf(pod), this.#cluster.clock.monotonicMs());
  }

  #check(): void {
    for (const pod of this.#cluster.pods()) this.#workloadLives(pod);
    for (const pod of this.#cluster.balloons()) this.#keepsItsClass(pod);
    for (const [name, kubelet] of this.#cluster.kubelets) {
      const node = this.#cluster.node(name);
      if (!node) continue;
      const { allocatable } = readNode(node);
      if (!this.#cut.has(name) && !within(kubelet.allocated(), allocatable))
        this.#say('I1', `${name} gave more than it has`);
      for (const { pod, atMs } of kubelet.grown.splice(0)) this.#hadTicket(name, pod, atMs);
      for (const { pod, isForBalloon } of kubelet.evicted.splice(0))
        if (isForBalloon) this.#say('I14', `pod ${pod.metadata.name} was evicted for what the balloon of ${name} uses`);
      this.#exposure(name);
      this.#fence(name, node);
    }
  }

  #workloadLives({ metadata, spec, status }: KubeObject): void {
    const { name, namespace, uid = '' } = metadata;
    if (
      namespace !== 'default' ||
      status?.phase !== 'Failed' ||
      status.reason === 'Evicted' ||
      this.#endedPods.has(uid)
    )
      return;
    this.#endedPods.add(uid);
    const foreignAtMs = this.#foreignAtMs.get(spec?.nodeName ?? '') ?? Number.NEGATIVE_INFINITY;
    const isByOthers = this.#cluster.clock.monotonicMs() - foreignAtMs <= mostSchedulerLagMs;
    if (!this.#cut.size && !isByOthers) this.#say('I2', `pod ${name} ended: ${status.reason}`);
  }

  /** I11: a balloon asks for the same two resources and has no limits, so that its QoS class stays Burstable. */
  #keepsItsClass({ metadata, spec }: KubeObject): void {
    const { requests = {}, limits } = spec?.containers[0].resources ?? {};
    const asks = Object.keys(requests).sort().join();
    if (asks !== 'cpu,memory' || limits !== undefined) this.#say('I11', `${metadata.name} asks for ${asks}`);
  }

  /** I3: no balloon grows but by a ticket. */
  #hadTicket(node: string, pod: KubeObject, atMs: number): void {
    if (pod.metadata.namespace !== 'kube-system' || this.#foreign.has(pod.metadata.uid ?? '')) return;
    const ticket = this.#cluster.size(node)?.status?.resize;
    if (ticket?.podUID !== pod.metadata.uid)
      this.#say('I3', `the balloon of ${node} grew without a ticket at ${atMs} ms`);
  }

  /** I8: how long more is asked for than is set aside. */
  #exposure(node: string): void {
    const object = this.#cluster.balloon(node);
    const pod = object && readBalloonPod(object);
    const isExposed = pod?.running === true && !within(pod.desired, pod.allocated);
    this.#lasts('I8', this.#exposed, `${node} asks for more than it has`, isExposed, mostExposedMs);
  }

  /** I13: how long a fence stands. Who asks for another size has another ticket, with a fence of its own. */
  #fence(node: string, object: KubeObject): void {
    const fence = readNode(object).taints.find(({ key }) => key === keys.resizing);
    const what = `${node} is fenced by ${fence?.value}`;
    for (const other of this.#fenced.keys())
      if (other.startsWith(`${node} is`) && other !== what) this.#fenced.delete(other);
    this.#lasts('I13', this.#fenced, what, fence !== undefined, mostFencedMs);
  }

  #lasts(
    id: string,
    since: Map<string, { readonly sinceMs: number; readonly leaderlessMs: number }>,
    what: string,
    isSo: boolean,
    mostMs: number,
  ): void {
    const { clock, leaderlessMs, isLed } = this.#cluster;
    if (!isSo || !isLed) {
      since.delete(what);
      return;
    }
    const nowMs = clock.monotonicMs();
    const began = since.get(what) ?? { sinceMs: nowMs, leaderlessMs };
    since.set(what, began);
    if (nowMs - began.sinceMs > mostMs + slackMs) this.#say(id, `${what} for ${nowMs - began.sinceMs} ms`);
  }

  /** What must hold once nothing happens any more; `writes` were made since. */
  checkAtRest(writes: number): void {
    if (writes > 0) this.#say('I5', `${writes} writes at rest`);
    for (const name of this.#cluster.kubelets.keys()) this.#checkNodeAtRest(name);
    this.#checkTraces();
  }

  /** A resize is told once, and its phases are within it, whichever leaders ended them. */
  #checkTraces(): void {
    const wholes = new Map<string, FinishedSpan>();
    for (const span of this.#cluster.spans) {
      if (span.startMs > span.endMs) this.#say('I15', `${span.name} ended before it began`);
      if (span.part !== undefined) continue;
      if (wholes.has(span.trace)) this.#say('I15', `${span.trace} is told twice`);
      wholes.set(span.trace, span);
    }
    for (const { trace, part, startMs, endMs } of this.#cluster.spans) {
      const whole = wholes.get(trace);
      if (whole && (startMs < whole.startMs || endMs > whole.endMs)) this.#say('I15', `${part} is not within ${trace}`);
    }
  }

  #checkNodeAtRest(name: string): void {
    const size = this.#cluster.size(name);
    const object = this.#cluster.balloon(name);
    if (!size?.status || !object) {
      if (!this.#isFull(name)) this.#say('I5', `${name} has no balloon`);
      else if (reasonOf(size, 'Degraded') !== 'BalloonMissing')
        this.#say('I12', `${name} is full, and nothing says so`);
      return;
    }
    const pod = readBalloonPod(object);
    if (size.status.resize) this.#say('I6', `${name} still has a ticket`);
    if (!sameAmounts(pod.desired, pod.allocated)) this.#say('I3', `${name} asks for other than it has`);
    const told = plus(parseAmounts(size.status.size), parseAmounts(size.status.balloon?.allocated));
    if (!sameAmounts(told, parseAmounts(size.status.allocatable))) this.#say('I12', `${name} does not add up`);
    if (!sameAmounts(pod.allocated, parseAmounts(size.status.balloon?.allocated)))
      this.#say('I12', `${name} is told wrong`);
  }

  /** Whether pods took all of a node while its balloon was gone, so that not even the smallest fits. */
  #isFull(name: string): boolean {
    const waiting = this.#cluster.balloons().find((pod) => nodeOf(pod) === name);
    const node = this.#cluster.node(name);
    if (!waiting || !node) return false;
    const others = this.#cluster.pods().filter(({ spec }) => spec?.nodeName === name);
    const taken = sum(others.map((pod) => amountsOf(effectiveRequests(pod))));
    return shortOf(readBalloonPod(waiting).desired, taken, readNode(node).allocatable) !== undefined;
  }

  /** After disabling: nothing of ours is left (I9). */
  checkNothingLeft(): void {
    if (this.#cluster.daemonSets().length > 0) this.#say('I9', 'a DaemonSet is left');
    for (const pod of this.#cluster.balloons()) this.#say('I9', `a balloon is left for ${nodeOf(pod)}`);
    for (const name of this.#cluster.kubelets.keys()) {
      const { labels = {}, taints = [] } = readNode(this.#cluster.node(name) as KubeObject);
      if (keys.managed in labels) this.#say('I9', `${name} is still labelled`);
      for (const { key } of taints) this.#say('I9', `${name} still has the taint ${key}`);
      if (this.#cluster.size(name)?.metadata.finalizers) this.#say('I9', `NodeSize ${name} still has a finalizer`);
    }
  }

  #say(id: string, what: string): void {
    const times = (this.#counted.get(id) ?? 0) + 1;
    this.#counted.set(id, times);
    if (times <= 5) this.broken.push(`${id} at ${this.#cluster.clock.monotonicMs()} ms: ${what}`);
  }
}

function reasonOf(size: NodeSize | undefined, type: string): string | undefined {
  return size?.status?.conditions?.find((condition) => condition.type === type)?.reason;
}
