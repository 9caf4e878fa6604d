import { createHash } from 'node:crypto';
import { timestamp } from '@slipway/kube';
import type { ContainerState, ContainerStatus, Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { ContainerNow } from '../timeline/container-at.js';
import { fullName } from '../timeline/container-events.js';
import type { Life } from '../timeline/container-lives.js';
import type { ContainerTimes } from '../timeline/pod-timeline.js';
import { linuxUserOf, mountsOf } from './container-setup.js';

/**
 * Computes the status of a container in state `now`. Times of the stored status are kept: they were true when they
 * were written. `isSetUp`: whether the init containers have completed.
 */
export function containerStatus(
  pod: Pod,
  times: ContainerTimes,
  now: ContainerNow,
  admittedAtMs: number,
  isSetUp: boolean,
): ContainerStatus {
  const { name, image = '' } = times.container;
  const { initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = pod.status ?? {};
  const known = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  const before = known.find((each) => each.name === name);
  const restartCount = now.life?.restarts ?? 0;
  return {
    name,
    image,
    imageID: now.life ? `${image}@sha256:${digest(image)}` : '',
    ...(now.life && { containerID: containerId(now.life) }),
    ready: now.isReady,
    started: now.isStarted,
    restartCount,
    state: stateNow(),
    lastState: lastState(),
    ...mountsOf(times.container),
    ...(now.life && { user: { linux: linuxUserOf(pod, times.container) } }),
  };

  function stateNow(): ContainerState {
    if (!now.life || now.state === 'interrupted') return { waiting: { reason: waitsFor() } };
    if (now.state === 'running') return { running: { startedAt: startOf(now.life) } };
    if (now.state === 'ended') return { terminated: endOf(now.life) };
    const message = `back-off ${goDuration(now.life.backOffMs)} restarting failed container=${name} pod=${fullName(pod)}`;
    return { waiting: { reason: 'CrashLoopBackOff', message } };
  }

  function lastState(): ContainerState {
    const isOver = now.state === 'backing-off' || now.state === 'interrupted';
    const ended = isOver ? now.life : now.previous;
    if (ended) return { terminated: endOf(ended) };
    // What was before a restart of this process is known from what was said then.
    return (restartCount > 0 && before?.restartCount === restartCount && before.lastState) || {};
  }

  function waitsFor(): string {
    const hasInit = (pod.spec.initContainers ?? []).length > 0;
    return hasInit && !(isSetUp && times.kind === 'main') ? 'PodInitializing' : 'ContainerCreating';
  }

  function startOf({ restarts, startedAtMs }: Life): string {
    const running = before?.restartCount === restarts ? before.state.running : undefined;
    return running?.startedAt ?? timestamp(admittedAtMs + startedAtMs);
  }

  function endOf(life: Life): NonNullable<ContainerState['terminated']> {
    const exitCode = life.wasInterrupted ? 0 : (life.exitCode ?? now.exitCode);
    const ended = {
      exitCode,
      reason: exitCode === 0 ? 'Completed' : 'Error',
      startedAt: startOf(life),
      ...(life.message && { message: life.message }),
      finishedAt: timestamp(admittedAtMs + life.endedAtMs),
      containerID: containerId(life),
    };
    return knownEnd(life) ?? ended;
  }

  /** How the stored status says that this life ended. */
  function knownEnd({ restarts }: Life) {
    if (before?.restartCount === restarts) {
      return before.state.terminated ?? (before.state.waiting && before.lastState?.terminated);
    }
    return before?.restartCount === restarts + 1 && !before.state.waiting ? before.lastState?.terminated : undefined;
  }

  function containerId({ restarts }: Life): string {
    return `simulated://${containerRun(pod, name, restarts)}`;
  }
}

/** Tells one run of a container from the next. */
export function containerRun({ metadata: { uid } }: Pod, name: string, restarts: number): string {
  const text = `${uid}/${name}`;
  return digest(restarts === 0 ? text : `${text}/${restarts}`);
}

/** A duration as Go prints it: `10s`, `1m20s`, `5m0s`. */
function goDuration(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  const seconds = Math.round((ms % 60_000) / 1000);
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
