import { type EventRecorder, type Kube, type ResourceClient, refOf } from '@slipway/kube';
import { type Container, isFinished, type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import type { ContainerCommands } from './container-commands.js';
import type { PodStatusWriter } from './pod-status-writer.js';
import { type Ending, type Resident, type Residents, runningAt, stopsAtMs } from './pods/residents.js';
import { type HookAction, preStopAction } from './probes/exec-probe.js';
import { containerAt } from './timeline/container-at.js';
import { containerPart } from './timeline/container-part.js';
import type { PodDelays } from './timeline/pod-timeline.js';
import { stopOf } from './timeline/simulated-stop.js';
import { type Stop, stopped } from './timeline/timeline-changes.js';

export interface PodStopsOptions {
  readonly kube: Kube;
  readonly delays: Pick<PodDelays, 'stopMs'>;
  readonly residents: Residents;
  readonly statuses: PodStatusWriter;
  readonly commands: ContainerCommands;
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
  stopByItself(resident: Resident, why: Ending): void {
    const { residents, syncSoon } = this.#options;
    const { terminationGracePeriodSeconds = 30 } = resident.pod.spec;
    resident.ending = why;
    this.#stopContainers(resident, terminationGracePeriodSeconds);
    residents.release(resident);
    syncSoon(resident.pod);
  }

  /** Goes on with a pod that was asked to stop. Returns milliseconds until it has; undefined when it is over, or that is not known. */
  async end(resident: Resident, ending: Ending, signal: AbortSignal): Promise<number | undefined> {
    const { kube, statuses, forget } = this.#options;
    const nowMs = kube.clock.now();
    const untilMs = stopsAtMs(resident);
    if (untilMs > nowMs) return inMs(untilMs, nowMs);
    await statuses.write(resident, nowMs - resident.admittedAtMs, signal, ending);
    forget(resident.pod.metadata.uid ?? '');
    return undefined;
  }

  /** Goes on with a pod that is being deleted: what it ended with is told before it is let go. */
  async terminate(pod: Pod, resident: Resident | undefined, signal: AbortSignal): Promise<number | undefined> {
    const { kube, residents, statuses } = this.#options;
    const { uid = '', deletionGracePeriodSeconds = 0 } = pod.metadata;
    if (resident && !isFinished(pod)) {
      if (!resident.isStopping) this.#stopContainers(resident, deletionGracePeriodSeconds);
      const nowMs = kube.clock.now();
      const untilMs = stopsAtMs(resident);
      if (untilMs > nowMs) return inMs(untilMs, nowMs);
      // Whoever sees that it is over may give its room away: here it has to be free before.
      residents.release(resident);
      await statuses.write(resident, nowMs - resident.admittedAtMs, signal, resident.ending ?? 'deleted');
    } else if (!isFinished(pod)) {
      await statuses.neverRan(pod, signal);
    }
    await this.#client.delete(refOf(pod), { gracePeriodSeconds: 0, preconditions: { uid }, signal });
    return undefined;
  }

  /** Asks all containers to stop: at once, or once the command of their preStop hook has ended. */
  #stopContainers(resident: Resident, graceSeconds: number): void {
    const { kube, delays, residents, events } = this.#options;
    const { pod, timeline, admittedAtMs } = resident;
    resident.isStopping = true;
    const elapsedMs = kube.clock.now() - admittedAtMs;
    const graceMs = graceSeconds * 1000;
    const running = runningAt(resident, elapsedMs);
    for (const name of running) {
      events.event(containerPart(pod, name), 'Normal', 'Killing', `Stopping container ${name}`);
    }
    const stops = new Map<string, Stop>();
    for (const { container } of timeline) {
      const isRunning = running.includes(container.name);
      const hook = isRunning && graceMs > 0 ? preStopAction(pod, container) : undefined;
      if (hook) void this.#stopAfter(hook, resident, container, { fromMs: elapsedMs, graceMs });
      else if (isRunning) stops.set(container.name, stopOf(pod, container, delays.stopMs, elapsedMs, graceMs));
      else stops.set(container.name, { atMs: elapsedMs, code: 0 });
    }
    residents.follow(resident, stopped(timeline, stops));
  }

  /** Runs the command of a hook for at most the grace period, and has its container stop then. */
  async #stopAfter(
    hook: HookAction,
    resident: Resident,
    container: Container,
    { fromMs, graceMs }: { readonly fromMs: number; readonly graceMs: number },
  ): Promise<void> {
    const { kube, delays, residents, commands, events, syncSoon } = this.#options;
    const { pod, admittedAtMs } = resident;
    const restarts = resident.timeline.find(({ container: { name } }) => name === container.name);
    const run = { pod, container, restarts: restarts ? (containerAt(restarts, fromMs).life?.restarts ?? 0) : 0 };
    if (await commands.failsBeforeStop(run, hook, graceMs)) {
      events.event(containerPart(pod, container.name), 'Warning', 'FailedPreStopHook', 'PreStopHook failed');
    }
    if (residents.get(pod.metadata.uid ?? '') !== resident) return;
    const hookMs = kube.clock.now() - admittedAtMs - fromMs;
    const stop = stopOf(pod, container, delays.stopMs, fromMs, graceMs, hookMs);
    residents.follow(resident, stopped(resident.timeline, new Map([[container.name, stop]])));
    syncSoon(pod);
  }
}

/** Milliseconds until a moment; undefined when that is not known. */
function inMs(atMs: number, nowMs: number): number | undefined {
  return Number.isFinite(atMs) ? atMs - nowMs : undefined;
}
