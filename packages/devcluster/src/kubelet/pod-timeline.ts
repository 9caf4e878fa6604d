import type { Container, Pod } from '../controllers/api/pods.js';

/** How long the steps of a simulated pod take, in milliseconds of the cluster's clock. */
export interface PodDelays {
  /** Getting an image that the node does not have. */
  readonly pullMs: number;
  /** From the image being there to the container running. */
  readonly startMs: number;
  /** How long init containers run. */
  readonly initMs: number;
  /** From running to ready. */
  readonly readyMs: number;
  /** From being asked to stop to having stopped; never longer than the grace period. */
  readonly stopMs: number;
}

/** Everything at once. */
export const noDelays: PodDelays = { pullMs: 0, startMs: 0, initMs: 0, readyMs: 0, stopMs: 0 };

/** When one container does what, in milliseconds after its pod was admitted. */
export interface ContainerTimes {
  readonly container: Container;
  readonly kind: 'init' | 'sidecar' | 'main';
  /** When its image starts to be pulled; undefined when the node has it. */
  readonly pullAtMs: number | undefined;
  readonly pulledAtMs: number;
  readonly startedAtMs: number;
  /** When it is ready; an init container never is. */
  readonly readyAtMs: number;
  /** When it has ended; only init containers do by themselves. */
  readonly endedAtMs: number;
}

/**
 * The life of a pod from admission until it runs, known in advance because the
 * delays are fixed: init containers one after the other, then the others; images
 * one at a time. What a pod looks like at some moment follows from this alone, so a
 * kubelet that was away goes on where it was.
 */
export function podTimeline(
  pod: Pod,
  delays: PodDelays,
  hasImage: (image: string) => boolean,
): readonly ContainerTimes[] {
  const pulled = new Set<string>();
  const times: ContainerTimes[] = [];
  let atMs = 0;
  const add = (container: Container, kind: ContainerTimes['kind']) => {
    const { image = '', imagePullPolicy } = container;
    const isThere =
      imagePullPolicy === 'Never' || (imagePullPolicy !== 'Always' && (hasImage(image) || pulled.has(image)));
    const pulledAtMs = atMs + (isThere ? 0 : delays.pullMs);
    const startedAtMs = pulledAtMs + delays.startMs;
    const runsOn = kind !== 'init';
    times.push({
      container,
      kind,
      pullAtMs: isThere ? undefined : atMs,
      pulledAtMs,
      startedAtMs,
      readyAtMs: runsOn ? startedAtMs + delays.readyMs : Number.POSITIVE_INFINITY,
      endedAtMs: runsOn ? Number.POSITIVE_INFINITY : startedAtMs + delays.initMs,
    });
    pulled.add(image);
    atMs = kind === 'init' ? startedAtMs + delays.initMs : kind === 'sidecar' ? startedAtMs : pulledAtMs;
  };
  for (const container of pod.spec.initContainers ?? []) {
    add(container, container.restartPolicy === 'Always' ? 'sidecar' : 'init');
  }
  for (const container of pod.spec.containers) add(container, 'main');
  return times;
}

/** Milliseconds from `elapsedMs` to the next moment at which something happens; undefined when all has. */
export function nextMomentInMs(timeline: readonly ContainerTimes[], elapsedMs: number): number | undefined {
  const moments = timeline
    .flatMap(({ pulledAtMs, startedAtMs, readyAtMs, endedAtMs }) => [pulledAtMs, startedAtMs, readyAtMs, endedAtMs])
    .filter((atMs) => atMs > elapsedMs && Number.isFinite(atMs));
  return moments.length > 0 ? Math.min(...moments) - elapsedMs : undefined;
}

/** One thing that people are told about a container. */
export interface Told {
  readonly reason: 'Pulling' | 'Pulled' | 'Created' | 'Started';
  readonly message: string;
}

/** What happened later than `afterMs` and not later than `untilMs`, in order. */
export function happenings(timeline: readonly ContainerTimes[], afterMs: number, untilMs: number): readonly Told[] {
  return timeline
    .flatMap<Told & { readonly atMs: number }>(
      ({ container: { name, image = '' }, pullAtMs, pulledAtMs, startedAtMs }) => {
        const tookMs = pullAtMs === undefined ? 0 : pulledAtMs - pullAtMs;
        const pulled =
          pullAtMs === undefined
            ? `Container image "${image}" already present on machine`
            : `Successfully pulled image "${image}" in ${tookMs}ms (${tookMs}ms including waiting)`;
        return [
          ...(pullAtMs === undefined
            ? []
            : [{ atMs: pullAtMs, reason: 'Pulling' as const, message: `Pulling image "${image}"` }]),
          { atMs: pulledAtMs, reason: 'Pulled', message: pulled },
          { atMs: startedAtMs, reason: 'Created', message: `Created container: ${name}` },
          { atMs: startedAtMs, reason: 'Started', message: `Started container ${name}` },
        ];
      },
    )
    .filter(({ atMs }) => atMs > afterMs && atMs <= untilMs)
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ reason, message }) => ({ reason, message }));
}
