import { type Clock, type Logger, sleep } from '@slipway/kube';
import { builtInAdmission } from '../admission/built-in-admission.js';
import { createApiServer } from '../api-server/server.js';
import { serveHttps } from '../api-server/transport/https-server.js';
import { inprocTransport } from '../api-server/transport/inproc-transport.js';
import { definitionController } from '../crd/establish.js';
import { builtInDefinitions } from '../kinds/catalogue.js';
import type { NodeSpec } from '../kubelet/node-object.js';
import { DefinitionRegistry } from '../registry/definition-registry.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { expireRows } from '../storage/expire-rows.js';
import type { Store } from '../storage/store.js';
import { type ApiFront, apiFront } from './api-front.js';
import type { Cluster, ClusterOptions } from './cluster.js';
import type { ClusterLock } from './cluster-lock.js';
import type { PinnedGates } from './component-gates.js';
import { type Components, components } from './components.js';
import { serveControl } from './control-socket.js';
import { controlVerbs } from './control-verbs.js';
import type { DataDir } from './data-dir.js';
import type { Certificates } from './issue-certificates.js';
import { type Access, kubeconfigText } from './kubeconfig.js';
import { listenError } from './listening.js';
import { publishKubeconfig } from './publish-kubeconfig.js';
import { administrator } from './users.js';

/** A cluster as it was asked for, with its data open and everything about it settled. */
export interface Plan {
  readonly name: string;
  readonly bind: string;
  readonly port: number;
  readonly version: string;
  readonly pinned: PinnedGates;
  readonly dir: DataDir | undefined;
  /** Where gates keep the published values last in effect, if anywhere. */
  readonly gatesFolder: string | undefined;
  readonly lock: ClusterLock | undefined;
  readonly store: Store;
  readonly certificates: Certificates;
  readonly writeKubeconfig: NonNullable<ClusterOptions['writeKubeconfig']>;
  readonly nodes: readonly NodeSpec[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long controllers and kubelets may take to finish what they are at. */
const stopWithinMs = 5_000;
/** How long requests under way may take once nothing new is accepted. */
const closeWithinMs = 2_000;

/**
 * Puts the parts of a cluster together and starts them. Resolves when the API
 * answers. Owns the store and the lock from then on; when it rejects it has
 * stopped what it started, and they are the caller's still.
 */
export async function runCluster(plan: Plan): Promise<Cluster> {
  const { store, clock, certificates, bind, dir } = plan;
  const front = apiFront();
  const https = await listen(plan, front);
  const stopping = new AbortController();
  const definitions = new DefinitionRegistry(builtInDefinitions());
  const stops: (() => unknown)[] = [() => front.drain(), () => https.close(closeWithinMs)];
  try {
    const parts = partsOf(plan, { front, definitions, serverPort: https.port, stopping: stopping.signal });
    const onError = (error: unknown) => plan.log.warn('an object could not be written', { error });
    const customKinds = definitionController({ store, registry: definitions, clock, onError });
    stops.push(() => customKinds.close());
    for (const { storedAs, timeToLiveMs } of byStorage(definitions)) {
      if (timeToLiveMs === undefined) continue;
      const expiry = expireRows({ store, resource: storedAs, timeToLiveMs, clock, onError });
      stops.push(() => expiry.close());
    }
    await parts.startServer();
    stops.unshift(() => parts.stopServer());
    const access: Access = {
      context: `slipway-${plan.name}`,
      server: `https://${reachable(bind)}:${https.port}`,
      authority: certificates.ca.certificate,
      certificate: certificates.admin.certificate,
      key: certificates.admin.key,
    };
    const working = parts.startOthers();
    // Whoever waits for it hears of a failure; nobody has to.
    working.catch((error: unknown) => plan.log.error('a component could not start', { error }));
    stops.unshift(() => withinLimit(clock, Promise.all([parts.stopOthers(), working.catch(() => {})])));
    const published = await publishKubeconfig(plan.writeKubeconfig, access, dir, clock);
    stops.push(() => published.withdraw());

    const hooks: (() => Promise<void>)[] = [];
    let stopped: Promise<void> | undefined;
    let tellStopped = () => {};
    const cluster: Cluster = {
      name: plan.name,
      url: access.server,
      kubeconfig: kubeconfigText(access),
      kubeconfigPath: published.path,
      dataDir: dir?.path,
      warnings: published.warnings,
      transport: (user = administrator) => inprocTransport(front, user),
      components: parts.all,
      nodes: parts.nodes,
      ready: () => working,
      startReporting: () => parts.startReporting(),
      beforeStop: (run) => void hooks.push(run),
      stopped: new Promise((resolve) => {
        tellStopped = resolve;
      }),
      stop() {
        stopped ??= end().finally(tellStopped);
        return stopped;
      },
    };
    const control = plan.lock && (await serveControl(plan.lock.holder.socket, controlVerbs(cluster, plan.version)));
    return cluster;

    async function end(): Promise<void> {
      stopping.abort(new Error('the cluster was stopped'));
      // Not waited for: the request to stop is answered on one of its connections, when all is done.
      void control?.close();
      await runAll([...hooks, ...stops, () => store.close()], plan.log);
      plan.lock?.release();
    }
  } catch (error) {
    await runAll(stops, plan.log);
    throw error;
  }
}

async function listen({ certificates, bind, port, clock }: Plan, front: ApiFront) {
  try {
    return await serveHttps(front, {
      certificate: certificates.serving.certificate,
      key: certificates.serving.key,
      clientAuthority: certificates.ca.certificate,
      host: bind,
      port,
      clock,
    });
  } catch (error) {
    throw listenError(error, bind, port);
  }
}

function partsOf(
  plan: Plan,
  within: {
    readonly front: ApiFront;
    readonly definitions: DefinitionRegistry;
    readonly serverPort: number;
    readonly stopping: AbortSignal;
  },
): Components {
  const { store, clock, version } = plan;
  const { front, definitions, serverPort, stopping } = within;
  const admission = builtInAdmission();
  const healthChecks = [
    {
      name: 'cluster',
      endpoints: ['readyz'] as const,
      problem: () => (stopping.aborted ? 'the cluster is being stopped' : undefined),
    },
  ];
  return components({
    front,
    newServer: (gate) =>
      createApiServer({
        store,
        definitions,
        clock,
        version,
        admission,
        healthChecks,
        isEnabled: (name) => gate.enabled(name),
      }),
    transport: (user) => inprocTransport(front, user),
    version,
    pinned: plan.pinned,
    nodes: plan.nodes,
    serverPort,
    caCertificate: plan.certificates.ca.certificate,
    nodeUid: (name) => store.get('nodes', '', name)?.object.metadata.uid,
    gatesFolder: plan.gatesFolder,
    clock,
    log: plan.log,
  });
}

/** One definition per place in the store: several versions of a kind may share it. */
function byStorage(definitions: DefinitionRegistry): Iterable<ResourceDefinition> {
  return new Map(definitions.all().map((definition) => [definition.storedAs, definition])).values();
}

/** Everybody's address is nobody's to connect to. */
function reachable(bind: string): string {
  if (bind === '0.0.0.0' || bind === '::') return '127.0.0.1';
  return bind.includes(':') ? `[${bind}]` : bind;
}

async function withinLimit(clock: Clock, work: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const limit = sleep(clock, stopWithinMs, done.signal).catch(() => {});
  await Promise.race([work, limit]).finally(() => done.abort());
}

/** One after the other, whatever becomes of those before: what is left running would be worse. */
async function runAll(steps: readonly (() => unknown)[], log: Logger): Promise<void> {
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      log.warn('something did not stop in good order', { error });
    }
  }
}
