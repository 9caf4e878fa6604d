import { BalloonPolicy, HostPartition, installBalloonCrds, NodeSize } from '@slipway/balloons/definitions';
import type { Cluster } from '@slipway/devcluster';
import { InformerFactory, type Kube, type KubeObject, loadPart } from '@slipway/kube';
import type { BalloonWork } from './balloon-work.js';

/**
 * The balloons of a local cluster: the kinds and the controllers. Nodes have none until a policy says so, and
 * until then the controllers are not loaded, unless they were configured.
 */
export function startBalloons(
  configured: BalloonWork | undefined,
  allowDynamic: readonly string[] = ['*'],
): (cluster: Cluster, signal: AbortSignal) => Promise<void> {
  return async (cluster, signal) => {
    const kube = cluster.kube();
    const stopping = new AbortController();
    let work: Promise<void> | undefined;
    cluster.beforeStop(async () => {
      stopping.abort();
      await work;
    });
    try {
      await installBalloonCrds(kube, AbortSignal.any([signal, stopping.signal]));
      work = (configured ?? onceNeeded(allowDynamic))(cluster, stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted && !signal.aborted) throw error;
    }
  };
}

function onceNeeded(allowDynamic: readonly string[]): BalloonWork {
  return async (cluster, untilStopped) => {
    await untilNeeded(cluster.kube(), untilStopped);
    if (untilStopped.aborted) return;
    const { balloonWork } = await loadPart(import.meta.url, './balloon-work.js', () => import('./balloon-work.js'));
    await balloonWork({ allowDynamic })(cluster, untilStopped);
  };
}

/** Resolves once there is something of ours to work on, or when it is stopped. */
async function untilNeeded(kube: Kube, untilStopped: AbortSignal): Promise<void> {
  const informers = new InformerFactory(kube);
  const found = new AbortController();
  for (const kind of [BalloonPolicy, NodeSize, HostPartition]) {
    informers.informer<KubeObject>(kind).onChange(() => found.abort());
  }
  informers.start();
  await until(AbortSignal.any([found.signal, untilStopped]));
  await informers.stop();
}

function until(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
