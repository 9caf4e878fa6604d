import { inprocTransport } from '@slipway/api-server/transport/inproc-transport';
import { Kube } from '@slipway/kube';
import type { Activity } from './activity.js';
import type { Cluster } from './cluster.js';
import { clusterSnapshots } from './cluster-snapshots.js';
import type { Components } from './components.js';
import { serveControl } from './control-socket.js';
import { controlVerbs } from './control-verbs.js';
import { type Access, kubeconfigText } from './kubeconfig.js';
import type { Published } from './publish-kubeconfig.js';
import type { ResolvedOptions } from './resolved-options.js';
import { stepTime } from './step-time.js';
import type { StopOrder } from './stop-order.js';
import { administrator } from './users.js';

/** A cluster whose API answers. */
export interface Started {
  readonly components: Components;
  /** Resolves when the nodes are Ready and take pods, and the controllers work. */
  readonly working: Promise<void>;
  readonly access: Access;
  readonly published: Published;
  readonly activity: Activity;
  /** Aborted when the cluster begins to stop. */
  readonly stopping: AbortController;
  readonly stops: StopOrder;
}

/** Returns the handle of a started cluster, and lets other processes control the cluster from then on. */
export async function clusterHandle(options: ResolvedOptions, started: Started): Promise<Cluster> {
  const { components, access, published, stopping, stops } = started;
  const { clock } = options;
  const hooks: (() => Promise<void>)[] = [];
  let stopped: Promise<void> | undefined;
  let tellStopped = () => {};
  const transport: Cluster['transport'] = (user = administrator) => inprocTransport(components.front, user);
  const cluster: Cluster = {
    name: options.name,
    url: access.server,
    kubeconfig: kubeconfigText(access),
    kubeconfigPath: published.path,
    dataDir: options.dir?.path,
    warnings: published.warnings,
    clock,
    advance: (byMs) => stepTime(clock, started.activity, byMs),
    transport,
    kube: (user) => new Kube(transport(user), { clock, random: options.random.fraction }),
    components: components.all,
    servers: components.servers,
    nodes: components.nodes,
    get componentPages() {
      return components.pages.map(({ component, instance, url }) => ({ component, instance, url }));
    },
    ready: () => started.working,
    startReporting: () => components.startReporting(),
    ...clusterSnapshots(options.store),
    beforeStop: (run) => void hooks.push(run),
    get failure() {
      return options.broken.aborted ? (options.broken.reason as Error) : undefined;
    },
    stopped: new Promise((resolve) => {
      tellStopped = resolve;
    }),
    stop() {
      stopped ??= end().finally(tellStopped);
      return stopped;
    },
  };
  options.broken.addEventListener('abort', () => void cluster.stop(), { once: true });
  const control =
    options.lock && (await serveControl(options.lock.holder.socket, controlVerbs(cluster, options.version)));
  return cluster;

  async function end(): Promise<void> {
    stopping.abort(new Error('the cluster was stopped'));
    // Not waited for: the request to stop is answered on one of its connections, when all is done.
    void control?.close();
    for (const hook of hooks.reverse()) stops.first(hook);
    stops.last(() => options.store.close());
    stops.last(() => options.audit?.close());
    await stops.run();
    options.lock?.release();
  }
}
