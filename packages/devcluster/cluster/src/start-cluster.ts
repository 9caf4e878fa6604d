import { join } from 'node:path';
import { drawnFrom, systemRandom } from '@slipway/api-machinery/json/random';
import { defaultVersion } from '@slipway/api-machinery/schema/supported-versions';
import { type Clock, loadPart, stderrLog, systemClock } from '@slipway/kube';
import { StorageDamagedError, type StorageFailedError } from '@slipway/object-store/durable-log';
import type { Store } from '@slipway/object-store/store';
import { auditLogFile } from './audit-log-file.js';
import { certificatesIn, servingNames } from './certificates.js';
import { clockOfData } from './clock-of-data.js';
import type { Cluster, ClusterOptions } from './cluster.js';
import { type ClusterLock, recordHolder, refuseIfHeld } from './cluster-lock.js';
import { ClusterStartError } from './cluster-start-error.js';
import { program } from './component/program.js';
import { pinnedGates } from './component-gates.js';
import { controlPath } from './control-socket.js';
import { makeDataDir, requireUsable, stampStore, stampVersion, unusable } from './data-dir.js';
import { type DataDir, dataDirAt } from './data-paths.js';
import { requireKubeconfig } from './kubeconfig-file.js';
import { requireSupported } from './kubernetes-version.js';
import { requireListenable } from './listening.js';
import { plannedNodes } from './planned-nodes.js';
import { serverSettings } from './server-settings.js';
import { signingKeyIn } from './signing-key.js';
import { holdSocket } from './socket-lock.js';

/**
 * Starts a Kubernetes cluster in this process and resolves when its API answers;
 * nodes and controllers follow (`ready()`). Several can run in one process.
 *
 * What can be refused is refused before anything is written.
 * @throws ClusterStartError when what was asked for cannot be used, or it runs already
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { name = 'dev', bind = '127.0.0.1', port = 0, version = defaultVersion, writeKubeconfig = 'nowhere' } = options;
  const { clock = systemClock, log = stderrLog } = options;
  requireSupported(version);
  const pinned = pinnedGates(version, options.featureGates ?? {}, options.componentGates ?? {});
  const planned = await plannedNodes(options);
  const servers = serverSettings(options.servers ?? [{}], version, pinned);
  const dir = options.dataDir === undefined ? undefined : dataDirAt(options.dataDir);
  if (dir) {
    requireUsable(dir, program);
    await refuseIfHeld(dir, systemClock);
  }
  for (const wanted of portsOf(port, servers.length)) await requireListenable(bind, wanted);
  if (typeof writeKubeconfig === 'object') await requireKubeconfig(writeKubeconfig.path);
  /** What of the data directory outlives the process; an ephemeral cluster only locks it. */
  const kept = options.ephemeral ? undefined : dir;
  const broken = new AbortController();
  let store: Store | undefined;
  let lock: ClusterLock | undefined;
  const audit = options.auditLog === undefined ? undefined : await auditLogFile(options.auditLog, log);
  try {
    lock = dir && (await hold(dir, name));
    // The slow parts side by side: issuing certificates, reading the data, loading the server.
    // Whoever shows and checks certificates, and takes locks, lives by the time of this machine.
    const issuing = certificatesIn(kept?.pki, { names: servingNames(bind), nowMs: systemClock.now() });
    const opening = openStore(kept, clock, (error) => broken.abort(error));
    const serving = loadPart(import.meta.url, './run-cluster.js', () => import('./run-cluster.js'));
    const [opened] = await Promise.allSettled([opening, issuing, serving]);
    if (opened.status === 'fulfilled') store = opened.value;
    const [certificates, { runCluster }] = await Promise.all([issuing, serving]);
    const data = await opening;
    return await runCluster({
      name,
      bind,
      port,
      version,
      servers,
      pinned,
      dir,
      gatesFolder: kept && join(kept.path, 'gates'),
      dynamicFeatures: options.dynamicFeatures ?? ['*'],
      lock,
      store: data,
      broken: broken.signal,
      certificates,
      serviceAccountKey: signingKeyIn(kept?.pki),
      staticTokens: new Map(Object.entries(options.tokens ?? {})),
      audit,
      writeKubeconfig,
      planned,
      containerPorts: options.containerPorts,
      watchDelays: options.watchDelays ?? {},
      componentPages: options.componentPages ?? false,
      clock: clockOfData(clock, data),
      random: options.random ? drawnFrom(options.random) : systemRandom,
      log,
    });
  } catch (error) {
    await Promise.all([store?.close(), audit?.close()]);
    lock?.release();
    throw startErrorOf(error);
  }
}

/** That of the cluster, and with several API servers one for each of them behind it. */
function portsOf(port: number, servers: number): readonly number[] {
  return port === 0 || servers === 1 ? [port] : Array.from({ length: servers + 1 }, (_, index) => port + index);
}

/** Makes the folder and takes it. */
async function hold(dir: DataDir, name: string): Promise<ClusterLock> {
  makeDataDir(dir);
  const releaseSocket = await holdSocket(dir, systemClock).catch((error: unknown) => {
    throw error instanceof ClusterStartError ? error : unusable(dir, error);
  });
  let lock: ClusterLock | undefined;
  const release = () => {
    lock?.release();
    releaseSocket();
  };
  try {
    lock = recordHolder(dir, { name, nowMs: systemClock.now(), socket: controlPath(dir) });
    stampVersion(dir, program);
    return { holder: lock.holder, release };
  } catch (error) {
    release();
    throw error;
  }
}

async function openStore(
  dir: DataDir | undefined,
  clock: Clock,
  onFailed: (error: StorageFailedError) => void,
): Promise<Store> {
  if (!dir) {
    const { memoryStore } = await loadPart(
      import.meta.url,
      './parts/memory-store.js',
      () => import('./parts/memory-store.js'),
    );
    return memoryStore({ clock });
  }
  const { lmdbStore } = await loadPart(import.meta.url, './parts/lmdb-store.js', () => import('./parts/lmdb-store.js'));
  const store = await lmdbStore({ path: dir.store, clock, onFailed });
  try {
    stampStore(dir);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

function startErrorOf(error: unknown): unknown {
  if (!(error instanceof StorageDamagedError)) return error;
  return new ClusterStartError('DataDamaged', error.message, error.hint, { cause: error });
}
