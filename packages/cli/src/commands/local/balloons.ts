import { type BalloonConfiguration, BalloonMetrics, balloonControllers, installBalloonCrds } from '@slipway/balloons';
import type { Cluster } from '@slipway/devcluster';
import { type Kube, stderrLog } from '@slipway/kube';
import { serveMetrics } from './serve-metrics.js';

/** The balloons of a local cluster: the kinds and the controllers. Nodes have none until a policy says so. */
export function startBalloons(
  configuration: BalloonConfiguration,
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
      work = control(kube, configuration, stopping.signal);
    } catch (error) {
      if (!stopping.signal.aborted && !signal.aborted) throw error;
    }
  };
}

/** Lasts as long as the cluster: nobody waits for it to come up. */
async function control(kube: Kube, { actuators, metrics: at }: BalloonConfiguration, untilStopped: AbortSignal) {
  const metrics = new BalloonMetrics(kube.clock);
  try {
    await using _server = at && (await serveMetrics(at, () => metrics.page()));
    await balloonControllers({ kube, actuators, metrics }).start(untilStopped);
  } catch (error) {
    stderrLog.error('the balloon controllers have ended', { error: String(error) });
  }
}
