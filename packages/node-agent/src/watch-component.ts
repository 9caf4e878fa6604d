import { type GateSource, type GateTransport, type Owner, type Reporting, reportUses } from '@slipway/feature-gates';
import { ObservedGates, type PageAccess, PageError, type PageFetching } from '@slipway/features/adapters';
import { type Clock, type Logger, sleep } from '@slipway/kube';
import type { AgentMetrics } from './agent-metrics.js';
import { HealthConnection } from './health-connection.js';

/** A component of this node: what it is called and where its pages are. */
export interface LocalComponent {
  readonly component: string;
  readonly access: PageAccess;
  /** Wraps the gates that its page shows, where they are not reported as they stand there. */
  readonly over?: ((page: GateSource) => GateSource) | undefined;
  /** Gates that were set explicitly, where that can be seen. */
  readonly setGates?: ((fetching: PageFetching) => Promise<ReadonlyMap<string, boolean> | undefined>) | undefined;
}

/** How a component is watched, and as what it is reported. */
export interface WatchingOptions {
  readonly transport: GateTransport;
  readonly namespace: string;
  readonly node: string;
  /** The Node: what is said of its processes goes with it. */
  readonly owner: Owner;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: AgentMetrics;
  readonly random: () => number;
}

const everyMs = 20_000;
/** Who closes each connection does not restart each time: its page is not read more often than this. */
const mostPatienceMs = 300_000;

/**
 * Reports one component from when it is first seen until `signal` aborts: its page is read for each report, and
 * when its connection says that it may be another process. A component that is not there is not reported, and
 * one that has gone grows old: that is how others tell.
 */
export async function watchComponent(
  local: LocalComponent,
  options: WatchingOptions,
  signal: AbortSignal,
): Promise<void> {
  const { component } = local;
  const { clock, log, metrics, namespace, node, owner, transport, random } = options;
  const deniedPaths = new Set<string>();
  const denied = (path: string) => {
    // Kubelets have their pages as parts of their node, others as paths.
    const right = component === 'kubelet' ? `get nodes${path}` : `get ${path}`;
    if (!deniedPaths.has(path)) log.warn('a component denies a page', { component, right });
    deniedPaths.add(path);
  };
  const source = new ObservedGates({ ...local, clock, denied });
  const reported = local.over?.(source) ?? source;
  const connection = new HealthConnection(local.access, clock, denied);
  let reporting: Reporting | undefined;
  let patienceMs = 0;
  let notBeforeMs = 0;
  let problem: string | undefined;
  const look = async () => {
    try {
      const isAnother = await source.look(signal);
      metrics.note(component, 'read');
      patienceMs = isAnother ? 0 : Math.min(mostPatienceMs, Math.max(everyMs, patienceMs * 2));
      problem = undefined;
    } catch (error) {
      if (signal.aborted) return;
      metrics.note(component, 'failed');
      const why = error instanceof PageError ? error.message : String(error);
      if (problem === undefined) log.warn('the gates of a component cannot be read', { component, error: why });
      problem = why;
      patienceMs = Math.min(mostPatienceMs, Math.max(everyMs, patienceMs * 2));
      return;
    } finally {
      notBeforeMs = clock.monotonicMs() + patienceMs;
    }
    reporting ??= reportUses(reported, {
      transport,
      namespace,
      instance: node,
      node,
      owner,
      clock,
      random,
      log: (line) => log.warn(line, { component }),
    });
  };
  try {
    while (!signal.aborted) {
      const health = await connection.look(signal);
      metrics.seen(component, health !== 'away');
      const isDue = clock.monotonicMs() >= notBeforeMs;
      // A page that was not read yet, or not since the connection broke.
      const isUnread = health === 'perhaps another' || problem !== undefined || reporting === undefined;
      if (health !== 'away' && isUnread && isDue) await look();
      await sleep(clock, everyMs * (0.9 + 0.2 * random()), signal).catch(() => {});
    }
  } finally {
    connection.close();
    await reporting?.stop();
  }
}
