import type { EventRecorder, Kube, ResourceClient } from '@slipway/kube';
import { refOf } from '@slipway/kube';
import { isFinished, type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import type { PodStatusWriter } from './pod-status-writer.js';
import { type Ending, type Resident, type Residents, runningAt } from './pods/residents.js';
import type { PodDelays } from './timeline/pod-timeline.js';
import { stopOf } from './timeline/simulated-stop.js';
import { stopped } from './timeline/timeline-changes.js';

export interface PodStopsOptions {
  readonly kube: Kube;
  readonly delays: Pick<PodDelays, 'stopMs'>;
  readonly residents: Residents;
  readonly statuses: PodStatusWriter;
  readonly events: EventRecorder;
  readonly syncSoon: (pod: Pod) => void;
  /** A pod is over. */
  readonly forget: (uid: string) => void;
}

/** Stops the pods of one node: because they are being deleted, or because the kubelet says so. */
export class PodStops {
  readonly #options: PodStopsOptions;
  readonly #client: ResourceClient<Pod>;

  constructor(options: PodStopsOptions) {
    this.#options = options;
    this.#client = options.kube.resource(pods);
  }

  /** A pod has to go for one that the node cannot be without. */
  preempt(victim: Resident): void {
    const message = 'Preempted in order to admit critical pod';
    this.#options.events.event(victim.pod, 'Warning', 'Preempting', message);
    const disruption = 'Pod was preempted by Kubelet to accommodate a critical pod.';
    this.stopByItself(victim, { reason: 'Preempting', message, disruption });
  }

  /** A pod has to go because the node is short of something. */
  evict(victim: Resident, message: string): void {
    this.#options.events.event(victim.pod, 'Warning', 'Evicted', message);
    this.stopByItself(victim, { reason: 'Evicted', message, disruption: message });
  }

  /** Asks a pod to stop, for a reason that its status will tell. What it takes is free from now on. */
  stopByItself(resident: Resident, why: Omit<Ending, 'untilMs'>): void {
    const { residents, syncSoon } = this.#options;
    const { terminationGracePeriodSeconds = 30 } = resident.pod.spec;
    resident.ending = { ...why, untilMs: this.#stopContainers(resident, terminationGracePeriodSeconds) };
    residents.release(resident);
    syncSoon(resident.pod);
  }

  /** Goes on with a pod that was asked to stop. Returns milliseconds until it has, undefined when it is over. */
  async end(resident: Resident, ending: Ending, signal: AbortSignal): Promise<number | undefined> {
    const { kube, statuses, forget } = this.#options;
    const nowMs = kube.clock.now();
    const leftMs = ending.untilMs - nowMs;
    if (leftMs > 0) return leftMs;
    await statuses.write(resident, nowMs - resident.admittedAtMs, signal, ending);
    forget(resident.pod.metadata.uid ?? '');
    return undefined;
  }

  /** Goes on with a pod that is being deleted: what it ended with is told before it is let go. */
  async terminate(pod: Pod, resident: Resident | undefined, signal: AbortSignal): Promise<number | undefined> {
    const { kube, residents, statuses } = this.#options;
    const { uid = '', deletionGracePeriodSeconds = 0 } = pod.metadata;
    if (resident && !isFinished(pod)) {
      resident.stopsAtMs ??= resident.ending?.untilMs ?? this.#stopContainers(resident, deletionGracePeriodSeconds);
      const nowMs = kube.clock.now();
      if (resident.stopsAtMs > nowMs) return resident.stopsAtMs - nowMs;
      // Whoever sees that it is over may give its room away: here it has to be free before.
      residents.release(resident);
      await statuses.write(resident, nowMs - resident.admittedAtMs, signal, resident.ending ?? 'deleted');
    } else if (!isFinished(pod)) {
      await statuses.neverRan(pod, signal);
    }
    await this.#client.delete(refOf(pod), { gracePeriodSeconds: 0, preconditions: { uid }, signal });
    return undefined;
  }

  /** Asks all containers to stop. Returns when they will have, in milliseconds since the epoch. */
  #stopContainers(resident: Resident, graceSeconds: number): number {
    const { kube, delays, residents, events } = this.#options;
    const { pod, timeline, admittedAtMs } = resident;
    const elapsedMs = kube.clock.now() - admittedAtMs;
    const running = runningAt(resident, elapsedMs);
    for (const name of running) events.event(pod, 'Normal', 'Killing', `Stopping container ${name}`);
    const stops = new Map(
      timeline.map(({ container }) => {
        const runs = running.includes(container.name);
        const stop = runs && stopOf(pod, container, delays.stopMs, elapsedMs, graceSeconds * 1000);
        return [container.name, stop || ({ atMs: elapsedMs, code: 0 } as const)];
      }),
    );
    residents.follow(resident, stopped(timeline, stops));
    return admittedAtMs + Math.max(elapsedMs, ...[...stops.values()].map(({ atMs }) => atMs));
  }
}
