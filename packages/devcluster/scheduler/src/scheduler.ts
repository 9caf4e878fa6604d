import { yieldToEventLoop } from '@slipway/api-machinery/event-loop/yield-to-event-loop';
import { EventRecorder, hasReason, type InformerFactory, type Kube, type Logger, refOfKey } from '@slipway/kube';
import type { PersistentVolumeClaim } from '@slipway/kube-objects/kinds/api/volumes';
import type { VersionProfile } from '@slipway/kube-objects/rules/version-profile';
import { bindPod, selectNode } from './bind-pod.js';
import { type Demand, demandOf } from './demand/demand.js';
import { allFilters } from './filters/all-filters.js';
import type { ClusterChange, Filter } from './filters/filter.js';
import { waitingClaims } from './filters/volume-binding.js';
import { followCluster, needsNode, schedulerName } from './follow-cluster.js';
import { describeFindings } from './placement/describe-findings.js';
import { type Findings, placePod } from './placement/place-pod.js';
import { evictVictims } from './preemption/evict-victims.js';
import { type PreemptionPlan, planPreemption } from './preemption/plan-preemption.js';
import { SchedulingQueue } from './queue/scheduling-queue.js';
import { clearNomination, recordUnschedulable } from './record-unschedulable.js';
import { isResizeDeferred, planResize, resizeRoom } from './resize/plan-resize.js';
import { recordResizeForbidden } from './resize/record-resize.js';
import { allScores } from './scores/all-scores.js';
import type { Score } from './scores/score.js';
import { ClusterState } from './view/cluster-state.js';
import type { ClusterView } from './view/cluster-view.js';

/** Bindings and other writes on their way at a time. */
const maxWriting = 64;
/** Pods placed before others get a turn on the event loop. */
const cyclesPerTurn = 50;

export interface SchedulerOptions {
  readonly kube: Kube;
  readonly informers: InformerFactory;
  readonly log: Logger;
  readonly profile: VersionProfile;
  /** A number from 0 up to 1: chooses between nodes that are equally good. */
  readonly random: () => number;
}

/**
 * Gives every pod that needs one a node.
 *
 * Placing is a pure decision over a picture of the cluster in memory. The pod counts as placed the
 * moment it is decided, before its binding is written, so that the next one sees
 * the room it takes; a binding that fails gives the room back.
 */
export class Scheduler {
  readonly name = 'scheduler';
  readonly #options: SchedulerOptions;
  readonly #events: EventRecorder;
  readonly #filters: readonly Filter[];
  readonly #scores: readonly Score[];
  readonly #state = new ClusterState();
  readonly #queue: SchedulingQueue;
  readonly #cluster: ReturnType<typeof followCluster>;
  readonly #writing = new Set<Promise<void>>();
  /** What is being written on pods without a node. */
  readonly #saying = new Map<string, Promise<void>>();
  #wake = () => {};
  /** Called when a write of ours is done. */
  #written = () => {};
  #firstNode = 0;
  #isReady = false;

  constructor(options: SchedulerOptions) {
    const { kube, informers, log, profile } = options;
    this.#options = options;
    this.#events = new EventRecorder(kube, { component: schedulerName, log });
    this.#filters = allFilters(profile);
    this.#scores = allScores(profile);
    this.#queue = new SchedulingQueue(kube.clock, () => this.#wake());
    this.#cluster = followCluster(informers, {
      state: this.#state,
      log,
      makesRoomForResizes: profile.resizePreemption === 'scheduler',
      wanting: (key, { priority }, isChanged) =>
        isChanged ? this.#queue.changed(key, priority) : this.#queue.add(key, priority),
      settled: (key) => this.#queue.forget(key),
      happened: (change) => this.#wakeHelped(change),
    });
  }

  /** Whether it knows the cluster and places pods. */
  ready(): boolean {
    return this.#isReady;
  }

  /** Follows the cluster and places pods until `signal` aborts. */
  async start(signal: AbortSignal): Promise<void> {
    try {
      await this.#cluster.whenSynced(signal);
      this.#isReady = true;
      await this.#placePods(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#isReady = false;
      this.#cluster.close();
      this.#queue.close();
    }
  }

  /** Waits for writes on their way. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.#writing);
    await this.#events.flush();
  }

  async #placePods(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    for (let cycles = 1; !signal.aborted; cycles++) {
      const key = this.#queue.take();
      if (key === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        continue;
      }
      this.#try(key, signal);
      if (cycles % cyclesPerTurn === 0) await yieldToEventLoop();
      while (this.#writing.size >= maxWriting) {
        await new Promise<void>((resolve) => {
          this.#written = resolve;
        });
      }
    }
  }

  #try(key: string, signal: AbortSignal): void {
    const pod = this.#cluster.pod(refOfKey(key));
    if (!pod) this.#queue.forget(key);
    else if (pod.spec.nodeName && isResizeDeferred(pod)) this.#resize(key, demandOf(pod), signal);
    else if (needsNode(pod) && !this.#state.has(pod.metadata.uid ?? '')) this.#place(key, demandOf(pod), signal);
  }

  #place(key: string, demand: Demand, signal: AbortSignal): void {
    const view = this.#cluster.view();
    const choice = { scores: this.#scores, random: this.#options.random, firstNode: this.#firstNode };
    const placement = placePod(demand, view, this.#filters, choice);
    this.#firstNode += placement.looked;
    if (placement.kind === 'node') {
      this.#state.place(placement.nodeName, demand);
      this.#inBackground(this.#bind(key, demand, placement.nodeName, waitingClaims(demand, view), signal));
    } else {
      this.#queue.park(key, { demand, objectors: objectorsOf(placement.findings) });
      this.#inBackground(this.#makeRoom(key, demand, placement.findings, view, signal));
    }
  }

  #resize(key: string, demand: Demand, signal: AbortSignal): void {
    const view = this.#cluster.view();
    const plan = planResize(demand, view);
    this.#queue.park(key, { demand, objectors: new Set([resizeRoom.name]) });
    const { kube } = this.#options;
    const work = async () => {
      await recordResizeForbidden(kube, demand.pod, plan.kind === 'forbidden', signal);
      if (plan.kind !== 'preempt') return;
      await evictVictims(
        { kube, events: this.#events, signal },
        demand.pod,
        demand.pod.spec.nodeName ?? '',
        plan.victims,
      );
    };
    this.#inBackground(this.#orTryAgain(key, demand, signal, work));
  }

  async #bind(
    key: string,
    { pod, uid, priority }: Demand,
    nodeName: string,
    claims: readonly PersistentVolumeClaim[],
    signal: AbortSignal,
  ): Promise<void> {
    const { kube, log } = this.#options;
    const { name, namespace } = pod.metadata;
    // The kubelet may be at work before the answer is here, and what it says comes after this.
    const decidedMs = kube.clock.now();
    const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
    try {
      await selectNode(kube, claims, nodeName, signal);
      await bindPod(kube, pod, nodeName, signal);
      this.#events.event(pod, 'Normal', 'Scheduled', message, decidedMs);
    } catch (error) {
      // Whoever was faster has put it where the watch says.
      if (signal.aborted || this.#cluster.pod(refOfKey(key))?.spec.nodeName) return;
      this.#state.remove(uid);
      this.#queue.failed(key, priority);
      if (!isOvertaken(error)) log.warn('a pod could not be bound, trying again', { pod: key, nodeName, error });
    }
  }

  /** Preempts others if that helps, and says on the pod why it has no node. */
  async #makeRoom(
    key: string,
    demand: Demand,
    findings: Findings,
    view: ClusterView,
    signal: AbortSignal,
  ): Promise<void> {
    const { kube } = this.#options;
    const plan = findings.total === 0 ? undefined : planPreemption(demand, findings, view);
    const nominatedNodeName = nominationOf(plan);
    if (nominatedNodeName !== undefined) this.#state.nominate(nominatedNodeName, demand);
    const message = this.#describe(findings, plan);
    this.#events.event(demand.pod, 'Warning', 'FailedScheduling', message);
    const outcome = { message, ...(nominatedNodeName !== undefined && { nominatedNodeName }) };
    await this.#inTurn(key, () =>
      this.#orTryAgain(key, demand, signal, async () => {
        await recordUnschedulable(kube, demand.pod, outcome, signal);
        if (plan?.kind === 'preempt') await this.#preempt(demand, plan, view, signal);
      }),
    );
  }

  /** A pod may be tried again while what came of it before is still being written: two such writes must not race. */
  async #inTurn(key: string, work: () => Promise<void>): Promise<void> {
    const mine = (this.#saying.get(key) ?? Promise.resolve()).then(work);
    this.#saying.set(key, mine);
    await mine;
    if (this.#saying.get(key) === mine) this.#saying.delete(key);
  }

  async #orTryAgain(key: string, { priority }: Demand, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      this.#queue.failed(key, priority);
      const log = this.#options.log;
      if (!isOvertaken(error)) log.warn('a waiting pod could not be helped, trying again', { pod: key, error });
    }
  }

  async #preempt(
    demand: Demand,
    { nodeName, victims }: Extract<PreemptionPlan, { kind: 'preempt' }>,
    { nominated }: ClusterView,
    signal: AbortSignal,
  ): Promise<void> {
    const { kube } = this.#options;
    const outranked = (nominated.get(nodeName) ?? []).filter(({ priority }) => priority < demand.priority);
    await Promise.all(outranked.map(({ pod }) => clearNomination(kube, pod, signal)));
    await evictVictims({ kube, events: this.#events, signal }, demand.pod, nodeName, victims);
  }

  #describe(findings: Findings, plan: PreemptionPlan | undefined): string {
    const found = describeFindings(findings);
    if (!plan || plan.kind === 'preempt') return found;
    const { looksForClaims, saysNoClaims } = this.#options.profile;
    // Kubernetes fails to look for claims of a pod that it has turned away before.
    if (looksForClaims && findings.refusal) return `${found} not found`;
    return `${found} ${saysNoClaims ? 'no new claims to deallocate, ' : ''}preemption: ${plan.message}`;
  }

  #wakeHelped(change: ClusterChange): void {
    const view = this.#cluster.view();
    this.#queue.wake(({ demand, objectors }) => {
      // Nothing objected: there was no node to object to.
      if (objectors.size === 0) return change.kind === 'node';
      return [...this.#filters, resizeRoom].some(
        ({ name, helpedBy }) => objectors.has(name) && helpedBy(demand, change, view),
      );
    });
  }

  #inBackground(work: Promise<void>): void {
    const tracked: Promise<void> = work.finally(() => {
      this.#writing.delete(tracked);
      this.#written();
    });
    this.#writing.add(tracked);
  }
}

function objectorsOf({ refusal, narrowedBy, objections }: Findings): ReadonlySet<string> {
  return new Set([...(refusal ? [refusal.by] : []), ...narrowedBy, ...objections.map(({ by }) => by)]);
}

/** The node that is now meant for the pod; '' for none any more, undefined when nothing changes. */
function nominationOf(plan: PreemptionPlan | undefined): string | undefined {
  if (plan?.kind === 'preempt') return plan.nodeName;
  return plan?.kind === 'hopeless' ? '' : undefined;
}

/** The pod was deleted or changed meanwhile: its event queues it again if necessary. */
function isOvertaken(error: unknown): boolean {
  return hasReason(error, 'Conflict') || hasReason(error, 'NotFound');
}
