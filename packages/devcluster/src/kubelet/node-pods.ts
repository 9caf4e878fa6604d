import { EventRecorder, type Kube, type ResourceClient, sameJson, timestamp } from '@slipway/kube';
import type { Node } from '../controllers/api/nodes.js';
import { refOf } from '../controllers/api/object-ref.js';
import { isFinished, isTerminating, type Pod, type PodStatus, pods } from '../controllers/api/pods.js';
import type { RecentWrites } from '../controllers/recent-writes.js';
import { type Amounts, amountsOfPod, minus, plus } from '../scheduler/amounts.js';
import { nodeAddress, PodAddresses } from './pod-addresses.js';
import { admit } from './pod-admission.js';
import { podStatusAt } from './pod-status.js';
import {
  type ContainerTimes,
  containerAt,
  happenings,
  nextMomentInMs,
  type PodDelays,
  podTimeline,
} from './pod-timeline.js';
import { exitPrefix, simulatedExit } from './simulated-exit.js';

interface Run {
  readonly timeline: readonly ContainerTimes[];
  readonly admittedAtMs: number;
  readonly amounts: Amounts;
  /** Up to which moment of the timeline events were sent. */
  toldMs: number;
  stopAtMs?: number;
}

export interface NodePodsOptions {
  readonly kube: Kube;
  readonly nodeName: string;
  readonly nodeNumber: number;
  readonly delays: PodDelays;
  readonly recent: RecentWrites<Pod>;
  /** The node as it is now. */
  readonly node: () => Node;
}

/**
 * Runs the pods of one node: what a kubelet does for its pods.
 *
 * What is kept here can be had again from the pods themselves, so that a restart
 * neither restarts a running pod nor admits one twice.
 */
export class NodePods {
  readonly #options: NodePodsOptions;
  readonly #client: ResourceClient<Pod>;
  readonly #events: EventRecorder;
  readonly #addresses: PodAddresses;
  readonly #images = new Set<string>();
  readonly #runs = new Map<string, Run>();
  #used: Amounts = new Map();

  constructor(options: NodePodsOptions) {
    this.#options = options;
    this.#client = options.kube.resource(pods);
    this.#events = new EventRecorder(options.kube, { component: 'kubelet', host: options.nodeName });
    this.#addresses = new PodAddresses(options.nodeNumber);
  }

  /**
   * Moves one pod of this node on as far as time allows.
   * @returns milliseconds until there is more to do; undefined when only a change of the pod can bring more.
   */
  async sync(pod: Pod, signal: AbortSignal): Promise<number | undefined> {
    const { uid = '' } = pod.metadata;
    if (isTerminating(pod)) return this.#stop(pod, signal);
    if (isFinished(pod)) {
      this.forget(uid);
      return undefined;
    }
    const run = this.#runs.get(uid) ?? (pod.status?.startTime ? this.#resume(pod) : await this.#admit(pod, signal));
    return run && this.#advance(pod, run, signal);
  }

  /** A pod is gone: what it took is free again. */
  forget(uid: string): void {
    const run = this.#runs.get(uid);
    if (!run) return;
    this.#used = minus(this.#used, run.amounts);
    this.#runs.delete(uid);
    this.#addresses.release(uid);
  }

  /** Waits until the events sent so far are written. */
  flush(): Promise<void> {
    return this.#events.flush();
  }

  async #admit(pod: Pod, signal: AbortSignal): Promise<Run | undefined> {
    const { kube, node } = this.#options;
    const rejection = admit(pod, node(), this.#used);
    if (rejection) {
      this.#events.event(pod, 'Warning', rejection.reason, rejection.message);
      const status: PodStatus = {
        ...pod.status,
        phase: 'Failed',
        ...rejection,
        startTime: timestamp(kube.clock.now()),
      };
      this.#options.recent.wrote(await this.#client.replaceStatus({ ...pod, status }, { signal }));
      return undefined;
    }
    for (const { name } of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
      const problem = simulatedExit(pod, name);
      if (typeof problem !== 'string') continue;
      const message = `Annotation ${exitPrefix}${name} is ignored: ${problem}`;
      this.#events.event(pod, 'Warning', 'InvalidSimulation', message);
    }
    return this.#keep(pod, kube.clock.now(), -1);
  }

  /** Goes on with a pod that ran before this process did. What it is past is not told again. */
  #resume(pod: Pod): Run {
    const { startTime = '', podIP } = pod.status ?? {};
    if (podIP && !pod.spec.hostNetwork) this.#addresses.keep(pod.metadata.uid ?? '', podIP);
    const admittedAtMs = Date.parse(startTime);
    return this.#keep(pod, admittedAtMs, this.#options.kube.clock.now() - admittedAtMs);
  }

  #keep(pod: Pod, admittedAtMs: number, toldMs: number): Run {
    const timeline = podTimeline(pod, this.#options.delays, (image) => this.#images.has(image));
    const run: Run = { timeline, admittedAtMs, amounts: amountsOfPod(pod), toldMs };
    this.#runs.set(pod.metadata.uid ?? '', run);
    this.#used = plus(this.#used, run.amounts);
    return run;
  }

  async #advance(pod: Pod, run: Run, signal: AbortSignal): Promise<number | undefined> {
    const { kube, nodeNumber, recent } = this.#options;
    const elapsedMs = kube.clock.now() - run.admittedAtMs;
    for (const { type, reason, message } of happenings(pod, run.timeline, run.toldMs, elapsedMs)) {
      this.#events.event(pod, type, reason, message);
    }
    run.toldMs = Math.max(run.toldMs, elapsedMs);
    for (const { container, pulledAtMs } of run.timeline) {
      if (pulledAtMs <= elapsedMs) this.#images.add(container.image ?? '');
    }
    const hostIP = nodeAddress(nodeNumber);
    const podIP = pod.spec.hostNetwork ? hostIP : this.#addresses.addressOf(pod.metadata.uid ?? '');
    const status = podStatusAt(pod, run.timeline, run.admittedAtMs, elapsedMs, { hostIP, podIP });
    if (!sameJson(status, pod.status)) {
      recent.wrote(await this.#client.replaceStatus({ ...pod, status }, { signal }));
    }
    return nextMomentInMs(run.timeline, elapsedMs);
  }

  async #stop(pod: Pod, signal: AbortSignal): Promise<number | undefined> {
    const { kube, delays } = this.#options;
    const { uid = '', deletionGracePeriodSeconds = 0 } = pod.metadata;
    const run = this.#runs.get(uid);
    const nowMs = kube.clock.monotonicMs();
    if (run && run.stopAtMs === undefined) {
      run.stopAtMs = nowMs + Math.min(delays.stopMs, deletionGracePeriodSeconds * 1000);
      const elapsedMs = kube.clock.now() - run.admittedAtMs;
      for (const times of run.timeline) {
        const runs = containerAt(times, elapsedMs).state === 'running';
        if (runs) this.#events.event(pod, 'Normal', 'Killing', `Stopping container ${times.container.name}`);
      }
    }
    const leftMs = (run?.stopAtMs ?? nowMs) - nowMs;
    if (leftMs > 0) return leftMs;
    await this.#client.delete(refOf(pod), { gracePeriodSeconds: 0, preconditions: { uid }, signal });
    return undefined;
  }
}
