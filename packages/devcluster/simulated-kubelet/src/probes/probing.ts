import type { Container, Pod, Probe } from '@slipway/kube-objects/kinds/api/pods';
import { knownServerTurns } from './known-servers.js';
import { failuresOf, type ProbeResult, probeResults } from './probe-results.js';
import { type ProbeName, type ProbeTurn, probeScript } from './probe-script.js';

/** What probes find of a container each time it runs, in milliseconds after it has started. */
export interface Probing {
  /** When it counts as started; Infinity when it never does. */
  readonly startedMs: number;
  /** When, and for which probe, its kubelet stops it. */
  readonly killed?: { readonly atMs: number; readonly by: 'startup' | 'liveness' };
  /** When it becomes ready and ceases to be. */
  readonly readiness: readonly ProbeResult[];
}

/**
 * Works out what the probes of a container find. Until the startup probe has succeeded the others wait.
 *
 * @param readyMs when a container without a readiness probe is ready
 */
export function probingOf(pod: Pod, container: Container, readyMs: number): Probing {
  const startup = firstVerdict(pod, container, 'startup');
  if (startup?.succeeds === false) {
    return { startedMs: Number.POSITIVE_INFINITY, killed: { atMs: startup.atMs, by: 'startup' }, readiness: [] };
  }
  const startedMs = startup?.atMs ?? 0;
  const dead = verdictsOf(pod, container, 'liveness', startedMs)?.find(({ succeeds }) => !succeeds);
  return {
    startedMs,
    ...(dead && { killed: { atMs: dead.atMs, by: 'liveness' } }),
    readiness: verdictsOf(pod, container, 'readiness', startedMs) ?? [
      { atMs: Math.max(startedMs, readyMs), succeeds: true },
    ],
  };
}

/** One probe that failed. */
export interface ProbeFailure {
  readonly atMs: number;
  readonly message: string;
}

/** Milliseconds after the start of a container; `untilMs` belongs to it, `afterMs` does not. */
interface Span {
  readonly afterMs: number;
  readonly untilMs: number;
}

/** The probes that fail in a span. */
export function probeFailures(pod: Pod, container: Container, probing: Probing, span: Span): readonly ProbeFailure[] {
  return probesOf(pod, container, probing).flatMap(({ name, timing, failures }) => {
    const message = `${name[0]?.toUpperCase()}${name.slice(1)} probe failed: ${whatFailed(timing)}`;
    return [...failures(span)].map((atMs) => ({ atMs, message }));
  });
}

/** When the next probe fails after `afterMs`; Infinity when none does. */
export function nextFailureMs(pod: Pod, container: Container, probing: Probing, afterMs: number): number {
  const next = probesOf(pod, container, probing).map(({ failures }) => {
    const [first] = failures({ afterMs, untilMs: Number.POSITIVE_INFINITY });
    return first ?? Number.POSITIVE_INFINITY;
  });
  return Math.min(...next, Number.POSITIVE_INFINITY);
}

/** The probes that a container has, each with when it fails while it is at work. */
function probesOf(pod: Pod, container: Container, { startedMs }: Probing) {
  return (['startup', 'liveness', 'readiness'] as const).flatMap((name) => {
    const timing = container[`${name}Probe`];
    if (!timing) return [];
    const [fromMs, toMs] = name === 'startup' ? [0, startedMs] : [startedMs, Number.POSITIVE_INFINITY];
    if (!Number.isFinite(fromMs)) return [];
    const failures = ({ afterMs, untilMs }: Span) =>
      failuresOf(turnsOf(pod, container, name), timing, fromMs, { afterMs, untilMs: Math.min(untilMs, toMs) });
    return [{ name, timing, failures }];
  });
}

function firstVerdict(pod: Pod, container: Container, probe: ProbeName): ProbeResult | undefined {
  return verdictsOf(pod, container, probe, 0)?.[0];
}

function verdictsOf(
  pod: Pod,
  container: Container,
  probe: ProbeName,
  fromMs: number,
): readonly ProbeResult[] | undefined {
  const timing = container[`${probe}Probe`];
  return timing && probeResults(turnsOf(pod, container, probe), timing, fromMs);
}

function turnsOf(pod: Pod, container: Container, probe: ProbeName): readonly ProbeTurn[] {
  const known = knownServerTurns(container, container[`${probe}Probe`]);
  const script = known ?? probeScript(pod, container.name, probe);
  return typeof script === 'string' ? [{ fromMs: 0, succeeds: true }] : script;
}

/** What a kubelet would have seen. */
function whatFailed({ httpGet, tcpSocket, grpc }: Probe): string {
  if (httpGet) return 'HTTP probe failed with statuscode: 500';
  if (tcpSocket) return `dial tcp: connect to port ${tcpSocket.port}: connection refused`;
  return grpc ? 'service unhealthy (responded with "NOT_SERVING")' : 'the command failed';
}
