import { hostname } from 'node:os';
import { BalloonMetrics, balloonControllers, balloonGate } from '@slipway/balloons';
import type { Cluster } from '@slipway/devcluster';
import { nodeBalloons } from '@slipway/features';
import { stderrLog } from '@slipway/kube';
import { sendSpans } from '../runtime/send-spans.js';
import { balloonConfiguration } from './balloon-configuration.js';
import { balloonUser, grantBalloonRights } from './balloon-rights.js';
import { declareGate } from './declare-gate.js';
import { serveMetrics } from './serve-metrics.js';

/** Resizes the nodes of a cluster until it is stopped. */
export type BalloonWork = (cluster: Pick<Cluster, 'kube'>, untilStopped: AbortSignal) => Promise<void>;

export interface BalloonWorkOptions {
  /** File that configures the controllers. */
  readonly path?: string | undefined;
  /** Patterns of gates that may take published values. */
  readonly allowDynamic: readonly string[];
}

/**
 * The balloon controllers, as a file configures them. The administrator installs what they need; they then do with the
 * rights that they have on any cluster. Their gate is declared and reported from the moment they run.
 * @throws CommandError (usage) when the file cannot be read or used.
 */
export function balloonWork({ path, allowDynamic }: BalloonWorkOptions): BalloonWork {
  const { actuators, metrics: at } = balloonConfiguration(path);
  return async (cluster, untilStopped) => {
    const [admin, kube] = [cluster.kube(), cluster.kube(balloonUser)];
    const metrics = new BalloonMetrics(kube.clock);
    const gate = balloonGate();
    try {
      // Before anything is asked as that user, the first report of the gate included.
      await grantBalloonRights(admin, untilStopped);
      await using _reporting = gate.startReporting({
        transport: kube.transport,
        namespace: 'kube-system',
        instance: hostname(),
        dynamicFeatures: allowDynamic,
        startWithinMs: 200,
        clock: kube.clock,
      });
      await using _server = at && (await serveMetrics(at, () => metrics.page() + gate.metrics()));
      await using spans = await sendSpans({ service: 'slipway-balloon-controller', instance: hostname() });
      const controllers = balloonControllers({ kube, actuators, metrics, trace: spans?.record, gate });
      // A gate that is not reported is not declared, so this one comes with its controllers.
      await Promise.all([
        controllers.start(untilStopped),
        declareGate(admin, nodeBalloons({ dynamic: 'Live' }), untilStopped),
      ]);
    } catch (error) {
      if (!untilStopped.aborted) stderrLog.error('the balloon controllers have ended', { error: String(error) });
    }
  };
}
