import { yieldToEventLoop } from '@slipway/api-machinery/event-loop/yield-to-event-loop';
import { drawnFrom } from '@slipway/api-machinery/json/random';
import {
  errorMessage,
  hasReason,
  type InformerFactory,
  type Kube,
  type Logger,
  refOfKey,
  SeriesRecorder,
} from '@slipway/kube';
import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { ResourceClaim } from '@slipway/kube-objects/kinds/api/resource-claims';
import type { VersionProfile } from '@slipway/kube-objects/rules/version-profile';
import { BackgroundWork } from './background-work.js';
import { bindPod } from './bind-pod.js';
import { pluginThatFailed } from './binding-failure.js';
import { type Demand, demandOf } from './demand/demand.js';
import { describeFailure, type Failure } from './describe-failure.js';
import { type DeviceBinding, hasBindingConditions, whenPrepared } from './devices/device-binding.js';
import type { CompileSelector } from './devices/device-view.js';
import { deviceResources } from './devices/extended-resources.js';
import { claimsOf } from './devices/pod-claims.js';
import {
  type ClaimChoice,
  chooseDevices,
  deallocate,
  isPreparedLate,
  removeClaim,
  writeChoices,
} from './devices/pod-devices.js';
import { AllocationError } from './devices/wishes.js';
import { allFilters } from './filters/all-filters.js';
import { claimInTheWay, dynamicResources } from './filters/dynamic-resources.js';
import type { ClusterChange, Filter } from './filters/filter.js';
import { waitingClaims } from './filters/volume-binding.js';
import { followCluster, needsNode, schedulerName } from './follow-cluster.js';
import { objectorsOf, placePod } from './placement/place-pod.js';
import { bindingConditionsPending, failedScheduling, scheduled } from './pod-events.js';
import { evictVictims } from './preemption/evict-victims.js';
import { nominationOf, type PreemptionPlan, planPreemption } from './preemption/plan-preemption.js';
import { SchedulingQueue } from './queue/scheduling-queue.js';
import { clearNomination, recordUnschedulable } from './record-unschedulable.js';
import { isResizeDeferred, planResize, resizeRoom } from './resize/plan-resize.js';
import { recordResizeForbidden } from './resize/record-resize.js';
import { allScores } from './scores/all-scores.js';
import type { Score } from './scores/score.js';
import { ClusterState } from './view/cluster-state.js';
import type { ClusterView } from './view/cluster-view.js';
import type { NodeState } from './view/node-state.js';
import { bindVolumes } from './volumes/bind-volumes.js';
import { chooseVolumes, type VolumeChoice } from './volumes/choose-volumes.js';

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
  /** Compiles the selectors of device requests and classes. */
  readonly compileSelector: CompileSelector;
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
  readonly #events: SeriesRecorder;
  readonly #filters: readonly Filter[];
  readonly #scores: readonly Score[];
  readonly #newShareId: () => string;
  readonly #state = new ClusterState();
  readonly #queue: SchedulingQueue;
  readonly #cluster: ReturnType<typeof followCluster>;
  readonly #writes = new BackgroundWork();
  readonly #waits = new BackgroundWork();
  #wake = () => {};
  #firstNode = 0;
  #isReady = false;

  constructor(options: SchedulerOptions) {
    const { kube, informers, log, profile } = options;
    this.#options = options;
    this.#events = new SeriesRecorder(kube, {
      controller: schedulerName,
      instance: `${schedulerName}-devcluster`,
      log,
    });
    this.#filters = allFilters(profile);
    this.#scores = allScores(profile);
    this.#newShareId = drawnFrom(options.random).uid;
    this.#queue = new SchedulingQueue(kube.clock, () => this.#wake());
    this.#cluster = followCluster(informers, kube.clock, {
      state: this.#state,
      compileSelector: options.compileSelector,
      log,
      profile,
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
    await this.#waits.settled();
    await this.#writes.settled();
    await this.#events.stop();
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
      await this.#writes.whenBelow(maxWriting);
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
    // As in Kubernetes the pod says nothing of it: whoever makes the claim wakes it.
    if (typeof claimsOf(demand.pod, view.devices) === 'string') {
      this.#queue.park(key, { demand, objectors: new Set([dynamicResources.name]) });
      return;
    }
    if (this.#removesLeftOver(key, demand, view, signal)) return;
    const { random } = this.#options;
    const placement = this.#decide(key, demand, signal, () =>
      placePod(demand, view, this.#filters, { scores: this.#scores, random, firstNode: this.#firstNode }),
    );
    if (!placement) return;
    this.#firstNode += placement.looked;
    if (placement.kind === 'node') {
      const state = this.#state.node(placement.nodeName) as NodeState;
      const { node } = state;
      const devices = chooseDevices(demand, state, view.devices, this.#cluster.ledger, this.#newShareId);
      this.#state.place(placement.nodeName, demand);
      const volumes = this.#chooseVolumes(demand, node, view);
      const bound = this.#bind(key, demand, placement.nodeName, { volumes, devices }, signal);
      // Volumes and devices may take minutes, and others shall not wait for them.
      const mayTakeLong = volumes !== undefined || devices.some(isPreparedLate);
      (mayTakeLong ? this.#waits : this.#writes).add(bound);
    } else {
      const { findings } = placement;
      const preempting = this.#decide(key, demand, signal, () => ({
        plan: findings.total === 0 ? undefined : planPreemption(demand, findings, view),
      }));
      if (!preempting) return;
      this.#queue.park(key, { demand, objectors: objectorsOf(findings) });
      this.#writes.add(this.#makeRoom(key, demand, { findings, ...preempting }, view, signal));
    }
  }

  /**
   * Whether a claim for extended resources was left over when the pod was tried before: its devices may not do now. That
   * it is gone has the pod tried again.
   */
  #removesLeftOver(key: string, demand: Demand, { devices }: ClusterView, signal: AbortSignal): boolean {
    const isConcerned = deviceResources(demand.amounts, devices.resourceClasses()).size > 0;
    const claim = isConcerned ? devices.leftOver(demand.pod) : undefined;
    if (!claim) return false;
    const { kube, log } = this.#options;
    this.#queue.park(key, { demand, objectors: new Set([dynamicResources.name]) });
    this.#writes.add(removeClaim({ kube, ledger: this.#cluster.ledger, log }, claim, signal));
    return true;
  }

  /** Volumes that are meant for a pod are not meant for others, until they are bound or that has failed. */
  #chooseVolumes(demand: Demand, node: Node, view: ClusterView): VolumeChoice | undefined {
    const claims = waitingClaims(demand, view);
    const choice = claims.length > 0 ? chooseVolumes(claims, node, view.volumes) : undefined;
    for (const { volume } of choice?.bindings ?? []) this.#cluster.taken.add(volume.metadata.uid);
    return choice;
  }

  /** Tries the pod again later if no decision can be made, and says why on the pod. */
  #decide<T>(key: string, demand: Demand, signal: AbortSignal, decide: () => T): T | undefined {
    try {
      return decide();
    } catch (error) {
      if (!(error instanceof AllocationError)) throw error;
      this.#queue.failed(key, demand.priority);
      this.#recordError(key, demand, `running "${dynamicResources.name}" filter plugin: ${error.message}`, signal);
      return undefined;
    }
  }

  #recordError(key: string, demand: Demand, message: string, signal: AbortSignal): void {
    this.#events.event(demand.pod, failedScheduling(message));
    const record = () =>
      recordUnschedulable(this.#options.kube, demand.pod, { reason: 'SchedulerError', message }, signal);
    this.#writes.add(this.#writes.inTurn(key, () => this.#orTryAgain(key, demand, signal, record)));
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
    this.#writes.add(this.#orTryAgain(key, demand, signal, work));
  }

  async #bind(
    key: string,
    demand: Demand,
    nodeName: string,
    needs: { readonly volumes: VolumeChoice | undefined; readonly devices: readonly ClaimChoice[] },
    signal: AbortSignal,
  ): Promise<void> {
    const { pod, uid, priority } = demand;
    const { kube, log } = this.#options;
    const { ledger } = this.#cluster;
    // The kubelet may be at work before the answer is here, and what it says comes after this.
    const decidedMs = kube.clock.now();
    try {
      if (needs.volumes) await this.#bindVolumes(key, uid, needs.volumes, nodeName, signal);
      const bind = async (claims: readonly ResourceClaim[]) => {
        await this.#whenPrepared(key, demand, claims, nodeName, signal);
        await bindPod(kube, pod, nodeName, signal);
      };
      await writeChoices({ kube, ledger, log }, pod, needs.devices, signal, bind);
      this.#events.event(pod, scheduled(pod, nodeName, decidedMs));
    } catch (error) {
      // Whoever was faster has put it where the watch says.
      if (signal.aborted || this.#cluster.pod(refOfKey(key))?.spec.nodeName) return;
      this.#state.remove(uid);
      this.#queue.failed(key, priority);
      // Others may get the devices that were meant for it.
      if (needs.devices.length > 0) this.#wakeHelped({ kind: 'devices' });
      const plugin = pluginThatFailed(error);
      if (!plugin) {
        if (!isOvertaken(error)) log.warn('a pod could not be bound, trying again', { pod: key, nodeName, error });
      } else if (this.#cluster.pod(refOfKey(key))?.metadata.uid === uid) {
        this.#recordError(key, demand, `running PreBind plugin "${plugin}": ${errorMessage(error)}`, signal);
      }
    }
  }

  /** Waits until the devices of a pod say that they are prepared, if they are to say so. */
  async #whenPrepared(
    key: string,
    { pod, uid }: Demand,
    claims: readonly ResourceClaim[],
    nodeName: string,
    signal: AbortSignal,
  ): Promise<void> {
    const concerned = claims.filter(hasBindingConditions);
    if (concerned.length === 0) return;
    const { ledger, waiting, pod: podOf } = this.#cluster;
    this.#events.event(pod, bindingConditionsPending(nodeName));
    const binding: DeviceBinding = {
      claim: ({ namespace = '', name }) => ledger.get(namespace, name),
      nowMs: () => this.#options.kube.clock.now(),
      whenChanged: (withinMs, stop) => waiting.changed(withinMs, stop),
      isWanted: () => podOf(refOfKey(key))?.metadata.uid === uid,
    };
    await whenPrepared(binding, concerned, signal);
  }

  async #bindVolumes(
    key: string,
    uid: string,
    choice: VolumeChoice,
    nodeName: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { taken, waiting, pod, view } = this.#cluster;
    const whenChanged = (withinMs: number, stop: AbortSignal) => waiting.changed(withinMs, stop);
    const isWanted = () => pod(refOfKey(key))?.metadata.uid === uid;
    const binding = { kube: this.#options.kube, view: view().volumes, whenChanged, isWanted };
    try {
      await bindVolumes(binding, choice, nodeName, signal);
    } finally {
      for (const { volume } of choice.bindings) taken.delete(volume.metadata.uid);
    }
  }

  /** Preempts others if that helps, and says on the pod why it has no node. */
  async #makeRoom(
    key: string,
    demand: Demand,
    { findings, plan }: Pick<Failure, 'findings' | 'plan'>,
    view: ClusterView,
    signal: AbortSignal,
  ): Promise<void> {
    const { kube, log, profile } = this.#options;
    const nominatedNodeName = nominationOf(plan);
    if (nominatedNodeName !== undefined) this.#state.nominate(nominatedNodeName, demand);
    const inTheWay = claimInTheWay(demand, findings.objections, view);
    const message = describeFailure(demand.pod, { findings, plan, freesDevices: inTheWay !== undefined }, profile);
    this.#events.event(demand.pod, failedScheduling(message));
    const nomination = nominatedNodeName !== undefined && { nominatedNodeName };
    // The pod may be tried again while this is being written: two such writes must not race.
    await this.#writes.inTurn(key, () =>
      this.#orTryAgain(key, demand, signal, async () => {
        await recordUnschedulable(kube, demand.pod, { reason: 'Unschedulable', message, ...nomination }, signal);
        if (inTheWay) await deallocate({ kube, ledger: this.#cluster.ledger, log }, inTheWay, signal);
        if (plan?.kind === 'preempt') await this.#preempt(demand, plan, view, signal);
      }),
    );
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
}

/** The pod was deleted or changed meanwhile: its event queues it again if necessary. */
function isOvertaken(error: unknown): boolean {
  return hasReason(error, 'Conflict') || hasReason(error, 'NotFound');
}
