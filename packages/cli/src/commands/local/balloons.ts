import { balloonControllers, installBalloonCrds } from '@slipway/balloons';
import type { Cluster } from '@slipway/devcluster';

/** The balloons of a local cluster: the kinds and the controllers. Nodes have none until a policy says so. */
export async function startBalloons(cluster: Cluster, signal: AbortSignal): Promise<void> {
  const kube = cluster.kube();
  const controllers = balloonControllers({ kube });
  const stopping = new AbortController();
  cluster.beforeStop(async () => {
    stopping.abort();
    await controllers.stop?.();
  });
  try {
    await installBalloonCrds(kube, AbortSignal.any([signal, stopping.signal]));
    await controllers.start(stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted && !signal.aborted) throw error;
  }
}
