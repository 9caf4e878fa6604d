import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, stderrLog, systemClock } from '@slipway/kube';
import { StorageDamagedError } from '../storage/durable-log.js';
import type { Store } from '../storage/store.js';
import { certificatesIn, servingNames } from './certificates.js';
import type { Cluster, ClusterOptions } from './cluster.js';
import { type ClusterLock, lockDataDir, refuseIfHeld } from './cluster-lock.js';
import { ClusterStartError } from './cluster-start-error.js';
import { pinnedGates } from './component-gates.js';
import { controlPath } from './control-socket.js';
import { type DataDir, dataDirAt, demandUsable, makeDataDir, stampVersion } from './data-dir.js';
import { demandKubeconfig } from './kubeconfig-file.js';
import { demandListenable } from './listening.js';

/** Version of this program. */
const program = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/**
 * Starts a Kubernetes cluster in this process and resolves when its API answers;
 * nodes and controllers follow (`ready()`). Several can run in one process.
 *
 * What can be refused is refused before anything is written.
 * @throws ClusterStartError when what was asked for cannot be used, or it runs already
 */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { name = 'dev', bind = '127.0.0.1', port = 0, version = '1.34', writeKubeconfig = 'nowhere' } = options;
  const { nodes = 3, clock = systemClock, log = stderrLog } = options;
  demandVersion(version);
  const pinned = pinnedGates(version, options.featureGates ?? {}, options.componentGates ?? {});
  const dir = options.dataDir === undefined ? undefined : dataDirAt(options.dataDir);
  if (dir) {
    demandUsable(dir, program);
    await refuseIfHeld(dir, clock);
  }
  await demandListenable(bind, port);
  if (typeof writeKubeconfig === 'object') await demandKubeconfig(writeKubeconfig.path);
  /** What of the data directory outlives the process; an ephemeral cluster only locks it. */
  const kept = options.ephemeral ? undefined : dir;
  const lock = dir && hold(dir, name, clock);
  let store: Store | undefined;
  try {
    // The slow parts side by side: loading the server, issuing certificates, reading the data.
    const serving = import('./run-cluster.js');
    const opening = openStore(kept, clock);
    const issuing = certificatesIn(kept?.pki, { names: servingNames(bind), nowMs: clock.now() });
    const [opened] = await Promise.allSettled([opening, issuing, serving]);
    if (opened.status === 'fulfilled') store = opened.value;
    const [certificates, { runCluster }] = await Promise.all([issuing, serving]);
    const capacity = { cpu: '4', memory: '8Gi', pods: '110', ...options.nodeCapacity };
    return await runCluster({
      name,
      bind,
      port,
      version,
      pinned,
      dir,
      gatesFolder: kept && join(kept.path, 'gates'),
      lock,
      store: await opening,
      certificates,
      writeKubeconfig,
      nodes: Array.from({ length: nodes }, (_, index) => ({ name: `n${index + 1}`, capacity })),
      clock,
      log,
    });
  } catch (error) {
    await store?.close();
    lock?.release();
    throw startErrorOf(error);
  }
}

function demandVersion(version: string): void {
  if (/^1\.\d{1,3}$/.test(version)) return;
  const message = `${JSON.stringify(version)} is not a Kubernetes version`;
  throw new ClusterStartError('BadOption', message, 'name major and minor, such as 1.34');
}

/** Makes the folder and takes it. */
function hold(dir: DataDir, name: string, clock: Clock): ClusterLock {
  makeDataDir(dir);
  const lock = lockDataDir(dir, { name, nowMs: clock.now(), socket: controlPath(dir) });
  try {
    stampVersion(dir, program);
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openStore(dir: DataDir | undefined, clock: Clock): Promise<Store> {
  if (!dir) {
    const { memoryStore } = await import('../storage/memory-store.js');
    return memoryStore({ clock });
  }
  const { lmdbStore } = await import('../storage/lmdb-store.js');
  return await lmdbStore({ path: dir.store, clock });
}

function startErrorOf(error: unknown): unknown {
  if (!(error instanceof StorageDamagedError)) return error;
  return new ClusterStartError('DataDamaged', error.message, error.hint, { cause: error });
}
