import { sleep, systemClock } from '@slipway/kube';
import { definitionController } from '../api-server/crd/establish.js';
import { processMetrics } from '../api-server/metrics/process-metrics.js';
import { DefinitionRegistry } from '../api-server/registry/definition-registry.js';
import type { ResourceDefinition } from '../api-server/registry/resource-definition.js';
import { builtInDefinitions } from '../kubernetes-kinds/kinds/catalogue.js';
import { expireRows } from '../object-store/expire-rows.js';
import { Activity } from './activity.js';
import { accessTo, frontDoor } from './addresses.js';
import type { Cluster } from './cluster.js';
import { clusterHandle } from './cluster-handle.js';
import type { Components } from './components.js';
import { metricsDefinitions } from './metrics-api/metrics-definitions.js';
import type { Plan } from './plan.js';
import { partsOf } from './planned-parts.js';
import { publishKubeconfig } from './publish-kubeconfig.js';
import { StopOrder } from './stop-order.js';
import { warnIfSlow } from './warn-if-slow.js';

/** How long controllers and kubelets may take to finish what they are at, in the time of this machine. */
const stopWithinMs = 5_000;

/**
 * Puts the parts of a cluster together and starts them. Resolves when the API
 * answers. Owns the store and the lock from then on; when it rejects it has
 * stopped what it started, and they are the caller's still.
 */
export async function runCluster(plan: Plan): Promise<Cluster> {
  const stopping = new AbortController();
  const stops = new StopOrder(plan.log);
  const activity = new Activity();
  const definitions = new DefinitionRegistry([...builtInDefinitions(), ...metricsDefinitions]);
  const ofProcess = processMetrics();
  const servicePort = () => door.port;
  const parts = partsOf(plan, { activity, definitions, ofProcess, servicePort, stopping: stopping.signal });
  const door = frontDoor(plan, parts);
  stops.last(() => parts.stopServers());
  stops.last(() => door.close());
  stops.last(() => ofProcess.close());
  try {
    await door.open();
    serveDefinitions(plan, definitions, stops);
    await parts.startServers();
    const working = startWork(plan, parts, stops);
    const access = accessTo(plan, parts, door.url);
    const published = await publishKubeconfig(plan.writeKubeconfig, access, plan.dir, systemClock);
    stops.last(() => published.withdraw());
    return await clusterHandle(plan, { parts, working, access, published, activity, stopping, stops });
  } catch (error) {
    await stops.run();
    throw error;
  }
}

/** Serves custom kinds as they are defined, and forgets objects of kinds that expire. */
function serveDefinitions(plan: Plan, definitions: DefinitionRegistry, stops: StopOrder): void {
  const { store, clock, log } = plan;
  const onError = (error: unknown) => log.warn('an object could not be written', { error });
  const customKinds = definitionController({ store, registry: definitions, clock, onError });
  stops.last(() => customKinds.close());
  for (const { storedAs, timeToLiveMs } of byStorage(definitions)) {
    if (timeToLiveMs === undefined) continue;
    const expiry = expireRows({ store, resource: storedAs, timeToLiveMs, clock, onError });
    stops.last(() => expiry.close());
  }
}

/** Starts everything but the API servers. Resolves when the nodes are Ready and take pods, and the controllers work. */
function startWork({ log }: Plan, parts: Components, stops: StopOrder): Promise<void> {
  const missing = () => parts.missing();
  const working = warnIfSlow(parts.startOthers(), { clock: systemClock, log, missing });
  // Whoever waits for it hears of a failure; nobody has to.
  working.catch((error: unknown) => log.error('a component could not start', { error }));
  stops.first(() => withinLimit(Promise.all([parts.stopOthers(), working.catch(() => {})])));
  return working;
}

/** One definition per place in the store: several versions of a kind may share it. */
function byStorage(definitions: DefinitionRegistry): Iterable<ResourceDefinition> {
  return new Map(definitions.all().map((definition) => [definition.storedAs, definition])).values();
}

async function withinLimit(work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const limit = sleep(systemClock, stopWithinMs, done.signal).catch(() => {});
  await Promise.race([work, limit]).finally(() => done.abort());
}
