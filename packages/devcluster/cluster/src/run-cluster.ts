import { processMetrics } from '@slipway/api-server/metrics/process-metrics';
import { DefinitionRegistry } from '@slipway/api-server/registry/definition-registry';
import { sleep, systemClock } from '@slipway/kube';
import { builtInDefinitions } from '@slipway/kubernetes-kinds/kinds/catalogue';
import { Activity } from './activity.js';
import { accessTo, frontDoor } from './addresses.js';
import { buildComponents } from './build-components.js';
import type { Cluster } from './cluster.js';
import { clusterHandle } from './cluster-handle.js';
import type { Components } from './components.js';
import { metricsDefinitions } from './metrics-api/metrics-definitions.js';
import { publishKubeconfig } from './publish-kubeconfig.js';
import type { ResolvedOptions } from './resolved-options.js';
import { serveDefinitions } from './serve-definitions.js';
import { StopOrder } from './stop-order.js';
import { warnIfSlow } from './warn-if-slow.js';

/** Maximum time for controllers and kubelets to finish their work, in the time of this machine. */
const stopWithinMs = 5_000;

/**
 * Builds the components of a cluster and starts them. Resolves when the API
 * answers; from then on it owns the store and the lock. If it rejects, it has
 * stopped what it started, and the caller still owns them.
 */
export async function runCluster(options: ResolvedOptions): Promise<Cluster> {
  const stopping = new AbortController();
  const stops = new StopOrder(options.log);
  const activity = new Activity();
  const definitions = new DefinitionRegistry([...builtInDefinitions(), ...metricsDefinitions]);
  const ofProcess = processMetrics();
  const servicePort = () => door.port;
  const components = buildComponents(options, {
    activity,
    definitions,
    ofProcess,
    servicePort,
    stopping: stopping.signal,
  });
  const door = frontDoor(options, components);
  stops.last(() => components.stopServers());
  stops.last(() => door.close());
  stops.last(() => ofProcess.close());
  try {
    await door.open();
    serveDefinitions(options, definitions, stops);
    await components.startServers();
    const working = startWork(options, components, stops);
    const access = accessTo(options, components, door.url);
    const published = await publishKubeconfig(options.writeKubeconfig, access, options.dir, systemClock);
    stops.last(() => published.withdraw());
    return await clusterHandle(options, { components, working, access, published, activity, stopping, stops });
  } catch (error) {
    await stops.run();
    throw error;
  }
}

/** Starts all components except the API servers. Resolves when the nodes are Ready and the controllers run. */
function startWork({ log }: ResolvedOptions, components: Components, stops: StopOrder): Promise<void> {
  const missing = () => components.missing();
  const working = warnIfSlow(components.startOthers(), { clock: systemClock, log, missing });
  // Not every caller waits for the promise; a failure must not be an unhandled rejection.
  working.catch((error: unknown) => log.error('a component could not start', { error }));
  stops.first(() => withinLimit(Promise.all([components.stopOthers(), working.catch(() => {})])));
  return working;
}

async function withinLimit(work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const limit = sleep(systemClock, stopWithinMs, done.signal).catch(() => {});
  await Promise.race([work, limit]).finally(() => done.abort());
}
