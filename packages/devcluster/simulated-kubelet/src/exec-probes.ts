import { type Kube, type ObjectPart, sleep } from '@slipway/kube';
import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { ContainerCommands, ContainerRun } from './container-commands.js';
import type { Resident } from './pods/residents.js';
import {
  type HookAction,
  type ProbeAction,
  ProbeCount,
  postStartAction,
  preStopAction,
  probeAction,
  probeNames,
} from './probes/exec-probe.js';
import { killMessage } from './probes/kill-message.js';
import type { ProbeName } from './probes/probe-script.js';
import type { Probing } from './probes/probing.js';
import { containerAt } from './timeline/container-at.js';
import { containerPart } from './timeline/container-part.js';
import type { ContainerTimes } from './timeline/pod-timeline.js';
import { exited } from './timeline/timeline-changes.js';

const killedCode = 137;

export interface ExecProbesOptions {
  readonly kube: Kube;
  readonly commands: ContainerCommands;
  readonly syncSoon: (pod: Pod) => void;
  readonly tell: (about: Pod | ObjectPart, type: 'Normal' | 'Warning', reason: string, message: string) => void;
}

/** The probes of one run of a container. */
interface ProbedRun {
  readonly restarts: number;
  readonly startedAtMs: number;
  readonly ended: AbortController;
  probing: Probing;
  /** When, in milliseconds since the epoch, it is killed because of its probes, or of what comes before them. */
  killedAtMs?: number;
}

/**
 * Runs the commands of probes in the containers of one node, and has the pods go as they find. Before the probes of a
 * container comes the command of its postStart hook.
 */
export class ExecProbes {
  readonly #options: ExecProbesOptions;
  readonly #runs = new Map<string, Map<string, ProbedRun>>();
  readonly #toBegin = new Map<string, readonly ((pod: Pod) => void)[]>();

  constructor(options: ExecProbesOptions) {
    this.#options = options;
  }

  /** The timeline of a pod with what probes have found by now; probes of containers that run now wait for `begin`. */
  follow({ pod, timeline, admittedAtMs }: Resident, elapsedMs: number): readonly ContainerTimes[] {
    const { uid = '' } = pod.metadata;
    let updated = timeline;
    for (const times of timeline) {
      const { name } = times.container;
      const probed = probeNames.filter((probe) => probeAction(pod, times.container, probe));
      const hook = postStartAction(pod, times.container);
      const { state, life } = containerAt(times, elapsedMs);
      if ((probed.length === 0 && !hook) || state !== 'running' || !life) continue;
      const known = this.#runs.get(uid)?.get(name);
      const startedAtMs = admittedAtMs + life.startedAtMs;
      const run =
        known?.restarts === life.restarts ? known : this.#newRun(pod, times, probed, hook, life.restarts, startedAtMs);
      const { probing, killedAtMs } = run;
      if (probing !== times.probing) {
        updated = updated.map((each) => (each.container.name === name ? { ...each, probing } : each));
      }
      if (killedAtMs !== undefined) {
        updated = exited(pod, updated, { container: name, code: killedCode }, killedAtMs - admittedAtMs);
      }
    }
    return updated;
  }

  /** A run of a container that waits for `begin`. */
  #newRun(
    pod: Pod,
    times: ContainerTimes,
    probed: readonly ProbeName[],
    hook: HookAction | undefined,
    restarts: number,
    startedAtMs: number,
  ): ProbedRun {
    const { uid = '' } = pod.metadata;
    const { container } = times;
    const ofPod = this.#runs.get(uid) ?? new Map<string, ProbedRun>();
    this.#runs.set(uid, ofPod);
    ofPod.get(container.name)?.ended.abort();
    const after = notYet(times, probed);
    const hooked = hook && !isReported(pod, container.name, restarts) ? { hook, after } : undefined;
    const probing = hooked ? { ...after, startedMs: Number.POSITIVE_INFINITY, readiness: [] } : after;
    const run: ProbedRun = { restarts, startedAtMs, ended: new AbortController(), probing };
    ofPod.set(container.name, run);
    const begin = (reported: Pod) => void this.#begin(reported, container, probed, hooked, run);
    this.#toBegin.set(uid, [...(this.#toBegin.get(uid) ?? []), begin]);
    return run;
  }

  /** Begins what waits for it. `pod` is as its status was reported last. */
  begin(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    const waiting = this.#toBegin.get(uid) ?? [];
    this.#toBegin.delete(uid);
    for (const begin of waiting) begin(pod);
  }

  /** The pod is over, or does not run here. */
  forget(uid: string): void {
    for (const { ended } of this.#runs.get(uid)?.values() ?? []) ended.abort();
    this.#runs.delete(uid);
    this.#toBegin.delete(uid);
  }

  /** The kubelet ends: containers go on without probes. */
  stop(): void {
    for (const uid of [...this.#runs.keys()]) this.forget(uid);
  }

  async #begin(
    pod: Pod,
    container: Container,
    probed: readonly ProbeName[],
    hooked: { readonly hook: HookAction; readonly after: Probing } | undefined,
    run: ProbedRun,
  ): Promise<void> {
    const { kube, syncSoon, tell } = this.#options;
    if (hooked) {
      const { hook, after } = hooked;
      const failure = await this.#options.commands
        .hookFailure({ pod, container, restarts: run.restarts }, hook, run.ended.signal)
        .catch(() => undefined);
      if (run.ended.signal.aborted) return;
      const nowMs = kube.clock.now();
      if (failure === undefined) run.probing = notBefore(after, nowMs - run.startedAtMs);
      else {
        const part = containerPart(pod, container.name);
        tell(part, 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
        tell(part, 'Normal', 'Killing', 'FailedPostStartHook');
        run.killedAtMs = nowMs;
        run.ended.abort();
      }
      syncSoon(pod);
    }
    for (const probe of probed) void this.#probe(pod, container, probe, run);
  }

  async #probe(pod: Pod, container: Container, name: ProbeName, run: ProbedRun): Promise<void> {
    const { kube, syncSoon } = this.#options;
    const { clock } = kube;
    const probed = { pod, container, restarts: run.restarts };
    const probe = container[`${name}Probe`] ?? {};
    const action = probeAction(pod, container, name);
    if (!action) return;
    const { initialDelaySeconds = 0, periodSeconds = 10, timeoutSeconds = 1 } = probe;
    const count = new ProbeCount(probe);
    const gone = run.ended.signal;
    const wait = (ms: number) => sleep(clock, ms, gone).catch(() => {});
    await wait(Math.max(0, run.startedAtMs + initialDelaySeconds * 1000 - clock.now()));
    for (; !gone.aborted; await wait(periodSeconds * 1000)) {
      // Until it has started nothing else is asked.
      if (name !== 'startup' && !Number.isFinite(run.probing.startedMs)) continue;
      const failure = await this.#failure(probed, action, gone, timeoutSeconds).catch(() => undefined);
      if (gone.aborted) return;
      if (failure !== undefined) {
        const message = `${title(name)} probe failed: ${failure}`;
        this.#options.tell(containerPart(pod, container.name), 'Warning', 'Unhealthy', message);
      }
      const verdict = count.add(failure === undefined);
      if (verdict === undefined) continue;
      this.#conclude(pod, container, name, run, verdict);
      syncSoon(pod);
      if (name === 'startup') return;
    }
  }

  /** What a probe that fails has found; undefined when it succeeds. */
  async #failure(
    run: ContainerRun,
    action: ProbeAction,
    gone: AbortSignal,
    timeoutSeconds: number,
  ): Promise<string | undefined> {
    const { commands } = this.#options;
    if (action.kind === 'command') return commands.failure(run, action.command, gone, timeoutSeconds);
    return (await commands.hasFile(run, action.path)) ? undefined : 'HTTP probe failed with statuscode: 404';
  }

  #conclude(pod: Pod, container: Container, probe: ProbeName, run: ProbedRun, succeeds: boolean): void {
    const nowMs = this.#options.kube.clock.now();
    const atMs = nowMs - run.startedAtMs;
    if (probe === 'readiness') {
      run.probing = { ...run.probing, readiness: [...run.probing.readiness.slice(-1), { atMs, succeeds }] };
    } else if (!succeeds) {
      this.#options.tell(containerPart(pod, container.name), 'Normal', 'Killing', killMessage(pod, container, probe));
      run.ended.abort();
      void this.#kill(pod, container, run);
    } else if (probe === 'startup') {
      run.probing = notBefore({ ...run.probing, startedMs: atMs }, atMs);
    }
  }

  /** Its preStop hook comes before the end of a container, as where its pod is stopped. */
  async #kill(pod: Pod, container: Container, run: ProbedRun): Promise<void> {
    const { kube, commands, syncSoon, tell } = this.#options;
    const { terminationGracePeriodSeconds = 30 } = pod.spec;
    const hook = preStopAction(pod, container);
    const killed = { pod, container, restarts: run.restarts };
    if (hook && (await commands.failsBeforeStop(killed, hook, terminationGracePeriodSeconds * 1000))) {
      tell(containerPart(pod, container.name), 'Warning', 'FailedPreStopHook', 'PreStopHook failed');
    }
    run.killedAtMs = kube.clock.now();
    syncSoon(pod);
  }
}

/** Before the first result: what is probed has not started, is not ready, and lives. */
function notYet({ probing }: ContainerTimes, probed: readonly ProbeName[]): Probing {
  return {
    ...probing,
    ...(probed.includes('startup') && { startedMs: Number.POSITIVE_INFINITY }),
    ...(probed.includes('readiness') && { readiness: [] }),
  };
}

/** Nothing that is known is before `atMs`. */
function notBefore(probing: Probing, atMs: number): Probing {
  const readiness = probing.readiness.map((each) => ({ ...each, atMs: Math.max(each.atMs, atMs) }));
  return { ...probing, startedMs: Math.max(probing.startedMs, atMs), readiness };
}

/** Whether a kubelet said of this run that it has started, which may have been one before this. */
function isReported({ status = {} }: Pod, container: string, restarts: number): boolean {
  const known = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  return known.some((each) => each.name === container && each.restartCount === restarts && each.started === true);
}

function title(name: ProbeName): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
