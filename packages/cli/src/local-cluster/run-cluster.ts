import {
  type Cluster,
  type ClusterOptions,
  ClusterStartError,
  startCluster,
  watchEventLoop,
} from '@slipway/devcluster';
import { errorMessage, loadPart } from '@slipway/kube';
import { jsonContent } from '../output/content.js';
import type { Invocation } from '../runtime/command.js';
import { exit, Interrupted } from '../runtime/exit.js';
import { followPackageManager } from '../runtime/package-manager.js';
import type { BalloonWork } from './balloon-work.js';
import { clusterOptions } from './cluster-options.js';
import type { LocalFeatures } from './features.js';
import { greeting, started } from './greeting.js';
import { followHeapPolicy } from './heap-policy.js';
import { markRunning } from './running-clusters.js';
import { serveConsole } from './serve-console.js';
import { tasksIn } from './tasks-file.js';
import type { UpOptions } from './up-options.js';

/**
 * What of ours runs beside the control plane. Each is started once the API answers, resolves when what it is
 * there for can be seen, and stops with the cluster (`cluster.beforeStop`).
 */
type Part = (cluster: Cluster, signal: AbortSignal) => Promise<void>;

/** Runs a cluster with our controllers in this process until it is stopped, from here or by `slipway down`. */
export async function runCluster(options: UpOptions, { terminal, signal, answer }: Invocation): Promise<void> {
  const startedAt = performance.now();
  followHeapPolicy();
  const balloons = await configuredBalloons(options);
  const localTasks = await tasksIn(options.featureTasks);
  const cluster = await startOnUsablePort(clusterOptions(options), options.port);
  const local = {
    allowDynamic: options.allowDynamic,
    servers: options.featureServers,
    ...(localTasks && { localTasks }),
  };
  const endWatch = watchEventLoop();
  const urls = [cluster.url, ...cluster.servers.map(({ url }) => url)];
  const mark = { dataDir: cluster.dataDir ?? '', urls, ephemeral: options.ephemeral ?? false };
  const unmark = markedOrTold(mark, (message) => terminal.err(`${message}\n`));
  const stop = () => void cluster.stop();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  followPackageManager(stop);
  // The cluster also runs without a console, whose port may be in use.
  const console = await serveConsole({ kube: cluster.kube(), cluster: cluster.name }, undefined).catch(() => undefined);
  try {
    // What is said to be there is there: nodes that kubectl can wait for, and the kinds of our own.
    const beside = partsWith(balloons, local).then((parts) =>
      Promise.all(parts.map((start) => start(cluster, signal))),
    );
    const working = Promise.all([cluster.ready(), beside]);
    await Promise.race([working, cluster.stopped]);
    if (!signal.aborted) {
      const took = Math.round(performance.now() - startedAt);
      // Warnings come first: whoever waits for the answer to the end has seen them then.
      for (const warning of cluster.warnings) terminal.err(`${warning}\n`);
      const document = started(cluster, { ...options, ...(console && { console: console.address }) }, took);
      terminal.out(options.format === 'json' ? jsonContent(document, 0) : greeting(document));
    }
    await cluster.stopped;
    if (cluster.failure) throw cluster.failure;
  } finally {
    unmark();
    await console?.close();
    await cluster.stop();
    endWatch();
  }
  if (signal.reason instanceof Interrupted && signal.reason.by === 'SIGINT') answer(exit.interrupted);
}

/** A cluster runs without its mark, too, as in a container that may not write to /tmp. */
function markedOrTold(mark: Parameters<typeof markRunning>[0], tell: (message: string) => void): () => void {
  try {
    return markRunning(mark);
  } catch (error) {
    tell(`other commands do not find this cluster without its data directory: ${errorMessage(error)}`);
    return () => {};
  }
}

/** Starts the cluster; on a free port when none was asked for and the usual one is in use. */
async function startOnUsablePort(options: ClusterOptions, requestedPort: number | undefined): Promise<Cluster> {
  try {
    return await startCluster(options);
  } catch (error) {
    const isUsualInUse = error instanceof ClusterStartError && error.reason === 'PortInUse';
    if (!isUsualInUse || requestedPort !== undefined) throw error;
    return await startCluster({ ...options, port: 0 });
  }
}

/** What a file says is read before anything is started: it may be refused. */
async function configuredBalloons({ balloonConfig: path, allowDynamic }: UpOptions): Promise<BalloonWork | undefined> {
  if (path === undefined) return undefined;
  const { balloonWork } = await import('./balloon-work.js');
  return balloonWork({ path, allowDynamic });
}

async function partsWith(balloons: BalloonWork | undefined, local: LocalFeatures): Promise<readonly Part[]> {
  const { startFeatures } = await loadPart(import.meta.url, './features.js', () => import('./features.js'));
  const { startBalloons } = await loadPart(import.meta.url, './balloons.js', () => import('./balloons.js'));
  const features: Part = (cluster, signal) => startFeatures(cluster, signal, local);
  return [features, startBalloons(balloons, local.allowDynamic)];
}
