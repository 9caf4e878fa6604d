import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { VersionProfile } from '@slipway/kube-objects/rules/version-profile';
import { killMessage } from '../probes/kill-message.js';
import { probeFailures } from '../probes/probing.js';
import { type Life, lifeAt, livesOf } from './container-lives.js';
import type { ContainerTimes } from './pod-timeline.js';

/** An event about one container. */
export interface ContainerEvent {
  readonly container: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: 'Pulling' | 'Pulled' | 'Created' | 'Started' | 'BackOff' | 'Unhealthy' | 'Killing';
  readonly message: string;
}

type TimedEvent = Omit<ContainerEvent, 'container'> & { readonly atMs: number };

/** What kubelets of a version say of containers. */
export type EventWords = Pick<VersionProfile, 'namesContainers' | 'checksImageAccess'>;

/** Returns the events after `afterMs` until `untilMs` inclusive, in order. */
export function containerEvents(
  pod: Pod,
  timeline: readonly ContainerTimes[],
  afterMs: number,
  untilMs: number,
  words: EventWords,
): readonly ContainerEvent[] {
  return timeline
    .flatMap((times) => {
      const events = [
        ...firstPull(times, words),
        ...livesUntil(times, untilMs).flatMap((life) => [
          ...eventsOfLife(pod, times, life, words),
          ...unhealthy(pod, times, life, { afterMs, untilMs }),
        ]),
        ...stoppedBeside(times),
      ];
      return events.map((event) => ({ ...event, container: times.container.name }));
    })
    .filter(({ atMs }) => atMs > afterMs && atMs <= untilMs)
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ container, type, reason, message }) => ({ container, type, reason, message }));
}

function livesUntil({ course, stoppedAtMs }: ContainerTimes, untilMs: number): readonly Life[] {
  const lives: Life[] = [];
  for (const life of livesOf(course)) {
    if (life.startedAtMs > untilMs || life.startedAtMs >= stoppedAtMs) break;
    lives.push(life);
  }
  return lives;
}

function firstPull(
  { container, pullAtMs, pulledAtMs, isToldByOthers }: ContainerTimes,
  words: EventWords,
): readonly TimedEvent[] {
  if (isToldByOthers) return [];
  return pullAtMs === undefined ? [present(container, pulledAtMs, words)] : pull(container, pullAtMs, pulledAtMs);
}

function eventsOfLife(
  pod: Pod,
  { container, stoppedAtMs }: ContainerTimes,
  life: Life,
  words: EventWords,
): readonly TimedEvent[] {
  const { startedAtMs: atMs, endedAtMs, backOffMs, restarts, wasInterrupted, hasNewImage } = life;
  const { name } = container;
  const again =
    container.imagePullPolicy === 'Always' ? pull(container, atMs, atMs) : [present(container, atMs, words)];
  const backsOff = !wasInterrupted && backOffMs > 0 && Number.isFinite(backOffMs) && endedAtMs < stoppedAtMs;
  const message = `Back-off restarting failed container ${name} in pod ${fullName(pod)}`;
  return [
    ...(restarts > 0 && !hasNewImage ? again : []),
    {
      atMs,
      type: 'Normal',
      reason: 'Created',
      message: words.namesContainers ? `Created container: ${name}` : 'Container created',
    },
    {
      atMs,
      type: 'Normal',
      reason: 'Started',
      message: words.namesContainers ? `Started container ${name}` : 'Container started',
    },
    ...(backsOff ? [{ atMs: endedAtMs, type: 'Warning', reason: 'BackOff', message } as const] : []),
  ];
}

/** A container that is stopped because the others of its pod are done. */
function stoppedBeside({ container, course, stoppedAtMs: atMs }: ContainerTimes): readonly TimedEvent[] {
  if (!Number.isFinite(atMs) || lifeAt(course, atMs).state !== 'running') return [];
  return [{ atMs, type: 'Normal', reason: 'Killing', message: `Stopping container ${container.name}` }];
}

/** Probes that fail, and what comes of it. */
function unhealthy(
  pod: Pod,
  { container, probing, stoppedAtMs }: ContainerTimes,
  { startedAtMs, endedAtMs }: Life,
  { afterMs, untilMs }: { readonly afterMs: number; readonly untilMs: number },
): readonly TimedEvent[] {
  const { killed } = probing;
  const span = { afterMs: afterMs - startedAtMs, untilMs: Math.min(untilMs, endedAtMs, stoppedAtMs) - startedAtMs };
  const failures = probeFailures(pod, container, probing, span).map(
    ({ atMs, message }) => ({ atMs: startedAtMs + atMs, type: 'Warning', reason: 'Unhealthy', message }) as const,
  );
  if (!killed || startedAtMs + killed.atMs !== endedAtMs || endedAtMs > stoppedAtMs) return failures;
  const message = killMessage(pod, container, killed.by);
  return [...failures, { atMs: endedAtMs, type: 'Normal', reason: 'Killing', message }];
}

function pull({ image = '' }: Container, fromMs: number, toMs: number): readonly TimedEvent[] {
  const took = `${toMs - fromMs}ms`;
  const pulled = `Successfully pulled image "${image}" in ${took} (${took} including waiting)`;
  return [
    { atMs: fromMs, type: 'Normal', reason: 'Pulling', message: `Pulling image "${image}"` },
    { atMs: toMs, type: 'Normal', reason: 'Pulled', message: pulled },
  ];
}

function present({ image = '' }: Container, atMs: number, words: EventWords): TimedEvent {
  return { atMs, type: 'Normal', reason: 'Pulled', message: `Container image "${image}" ${presentText(words)}` };
}

/** Formats the end of a kubelet's message about an image that is on its node. */
export function presentText({ checksImageAccess }: Pick<EventWords, 'checksImageAccess'>): string {
  return `already present on machine${checksImageAccess ? ' and can be accessed by the pod' : ''}`;
}

/** Formats a pod's name as a kubelet logs it: `web-0_default(5b1…)`. */
export function fullName({ metadata: { name, namespace, uid } }: Pod): string {
  return `${name}_${namespace}(${uid})`;
}
