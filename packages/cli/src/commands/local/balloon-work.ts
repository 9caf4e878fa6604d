import { BalloonMetrics, balloonControllers } from '@slipway/balloons';
import { type Kube, stderrLog } from '@slipway/kube';
import { balloonConfiguration } from './balloon-configuration.js';
import { serveMetrics } from './serve-metrics.js';

/** Resizes the nodes of a cluster until it is stopped. */
export type BalloonWork = (kube: Kube, untilStopped: AbortSignal) => Promise<void>;

/**
 * The balloon controllers, as the file at `path` configures them.
 * @throws CommandError (usage) when it cannot be read or used.
 */
export function balloonWork(path?: string): BalloonWork {
  const { actuators, metrics: at } = balloonConfiguration(path);
  return async (kube, untilStopped) => {
    const metrics = new BalloonMetrics(kube.clock);
    try {
      await using _server = at && (await serveMetrics(at, () => metrics.page()));
      await balloonControllers({ kube, actuators, metrics }).start(untilStopped);
    } catch (error) {
      stderrLog.error('the balloon controllers have ended', { error: String(error) });
    }
  };
}
