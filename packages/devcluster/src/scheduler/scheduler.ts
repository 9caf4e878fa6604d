import {
  EventRecorder,
  hasReason,
  type InformerFactory,
  type Kube,
  keyOf,
  type Logger,
  refOfKey,
  sameJson,
} from '@slipway/kube';
import { type Node, nodes } from '../controllers/api/nodes.js';
import { isFinished, isTerminating, type Pod, pods } from '../controllers/api/pods.js';
import { bindPod, recordUnschedulable } from './bind-pod.js';
import { ClusterState } from './cluster-state.js';
import { type Demand, demandOf } from './node-state.js';
import { placePod } from './place-pod.js';
import { SchedulingQueue } from './scheduling-queue.js';

/** Pods that name another scheduler are not ours. */
const schedulerName = 'default-scheduler';
/** Bindings on their way at a time. */
const maxBinding = 64;
/** Pods placed before others get a turn on the event loop. */
const cyclesPerTurn = 50;

export interface SchedulerOptions {
  readonly kube: Kube;
  readonly informers: InformerFactory;
  readonly log: Logger;
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
  readonly #state = new ClusterState();
  readonly #queue: SchedulingQueue;
  readonly #binding = new Set<Promise<void>>();
  #wake = () => {};
  #isReady = false;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#events = new EventRecorder(options.kube, { component: schedulerName, log: options.log });
    this.#queue = new SchedulingQueue(options.kube.clock, () => this.#wake());
  }

  /** Whether it knows the cluster and places pods. */
  ready(): boolean {
    return this.#isReady;
  }

  /** Follows nodes and pods and places pods until `signal` aborts. */
  async start(signal: AbortSignal): Promise<void> {
    const { informers } = this.#options;
    const nodeInformer = informers.informer(nodes);
    const podInformer = informers.informer(pods);
    const following = [
      nodeInformer.onChange(({ type, object, previous }) => this.#nodeChanged(type, object, previous)),
      podInformer.onChange(({ type, object, previous }) => this.#podChanged(type, object, previous)),
    ];
    nodeInformer.start();
    podInformer.start();
    try {
      await Promise.all([nodeInformer.whenSynced(signal), podInformer.whenSynced(signal)]);
      this.#isReady = true;
      await this.#placePods(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#isReady = false;
      for (const each of following) each.close();
      this.#queue.close();
    }
  }

  /** Waits for bindings on their way. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.#binding);
    await this.#events.flush();
  }

  async #placePods(signal: AbortSignal): Promise<void> {
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    const { lister } = this.#options.informers.informer(pods);
    for (let cycles = 1; !signal.aborted; cycles++) {
      const key = this.#queue.take();
      if (key === undefined) {
        const woken = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        await Promise.race([woken, aborted]);
        continue;
      }
      const pod = lister.get(refOfKey(key));
      if (pod && needsNode(pod) && !this.#state.has(pod.metadata.uid ?? '')) this.#place(key, pod, signal);
      if (cycles % cyclesPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
      while (this.#binding.size >= maxBinding) await Promise.race(this.#binding);
    }
  }

  #place(key: string, pod: Pod, signal: AbortSignal): void {
    const demand = demandOf(pod);
    const placement = placePod(demand, this.#state.nodes());
    if (placement.kind === 'node') {
      this.#state.place(pod.metadata.uid ?? '', placement.nodeName, demand);
      this.#inBackground(this.#bind(key, pod, placement.nodeName, signal));
    } else {
      this.#queue.park(key, priorityOf(pod));
      this.#events.event(pod, 'Warning', 'FailedScheduling', placement.message);
      this.#inBackground(this.#saysWhy(pod, placement.message, signal));
    }
  }

  async #bind(key: string, pod: Pod, nodeName: string, signal: AbortSignal): Promise<void> {
    const { kube, log } = this.#options;
    const { name, namespace, uid = '' } = pod.metadata;
    try {
      await bindPod(kube, pod, nodeName, signal);
      this.#events.event(pod, 'Normal', 'Scheduled', `Successfully assigned ${namespace}/${name} to ${nodeName}`);
    } catch (error) {
      if (signal.aborted) return;
      this.#state.remove(uid);
      this.#queue.park(key, priorityOf(pod));
      this.#queue.retry(key);
      if (!isOvertaken(error)) log.warn('a pod could not be bound, trying again', { pod: key, nodeName, error });
    }
  }

  async #saysWhy(pod: Pod, message: string, signal: AbortSignal): Promise<void> {
    try {
      await recordUnschedulable(this.#options.kube, pod, message, signal);
    } catch (error) {
      if (signal.aborted || isOvertaken(error)) return;
      this.#options.log.warn('could not record why a pod has no node', { pod: keyOf(pod), error });
    }
  }

  #inBackground(work: Promise<void>): void {
    const tracked: Promise<void> = work.finally(() => this.#binding.delete(tracked));
    this.#binding.add(tracked);
  }

  #nodeChanged(type: 'added' | 'updated' | 'deleted', node: Node, previous: Node | undefined): void {
    if (type === 'deleted') {
      this.#state.removeNode(node.metadata.name ?? '');
      return;
    }
    if (previous && sameJson(schedulingFacts(previous), schedulingFacts(node))) return;
    this.#state.putNode(node);
    this.#queue.retryParked();
  }

  #podChanged(type: 'added' | 'updated' | 'deleted', pod: Pod, previous: Pod | undefined): void {
    const key = keyOf(pod);
    const { uid = '' } = pod.metadata;
    if (type === 'deleted' || isFinished(pod)) {
      this.#queue.forget(key);
      if (this.#state.remove(uid)) this.#queue.retryParked();
    } else if (pod.spec.nodeName) {
      this.#queue.forget(key);
      const demand = this.#demandOf(pod);
      if (demand) this.#state.place(uid, pod.spec.nodeName, demand);
    } else if (!needsNode(pod)) {
      this.#queue.forget(key);
    } else if (previous && !sameJson(previous.spec, pod.spec)) {
      this.#queue.changed(key, priorityOf(pod));
    } else {
      this.#queue.add(key, priorityOf(pod));
    }
  }

  #demandOf(pod: Pod): Demand | undefined {
    try {
      return demandOf(pod);
    } catch (error) {
      this.#options.log.error('the requests of a pod cannot be read', { pod: keyOf(pod), error });
      return undefined;
    }
  }
}

function needsNode(pod: Pod): boolean {
  const { spec } = pod;
  const isOurs = (spec.schedulerName ?? schedulerName) === schedulerName;
  return (
    isOurs && !spec.nodeName && !isTerminating(pod) && !isFinished(pod) && (spec.schedulingGates ?? []).length === 0
  );
}

function priorityOf(pod: Pod): number {
  return pod.spec.priority ?? 0;
}

/** What of a node matters to placing pods; heartbeats do not. */
function schedulingFacts({ metadata, spec, status }: Node): unknown {
  return [metadata.labels, spec?.taints, spec?.unschedulable, status?.allocatable];
}

/** Somebody deleted or changed the pod meanwhile: its event brings it back here if there is more to do. */
function isOvertaken(error: unknown): boolean {
  return hasReason(error, 'Conflict') || hasReason(error, 'NotFound');
}
