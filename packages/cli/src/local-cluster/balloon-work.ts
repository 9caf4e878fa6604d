import { hostname } from 'node:os';
import { BalloonMetrics, balloonControllers, balloonGate } from '@slipway/balloons';
import type { Cluster } from '@slipway/devcluster';
import { FeatureDefinition, nodeBalloons, ownAuthor } from '@slipway/features';
import { hasReason, type Kube, sleep, stderrLog } from '@slipway/kube';
import { sendSpans } from '../runtime/send-spans.js';
import { balloonConfiguration } from './balloon-configuration.js';
import { balloonUser, grantBalloonRights } from './balloon-rights.js';
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
      await Promise.all([controllers.start(untilStopped), declareGate(admin, untilStopped)]);
    } catch (error) {
      if (!untilStopped.aborted) stderrLog.error('the balloon controllers have ended', { error: String(error) });
    }
  };
}

const declareAgainMs = 1_000;

/** A gate that is not reported is not declared, so this one comes with its controllers, once its kind is served. */
async function declareGate(kube: Kube, signal: AbortSignal): Promise<void> {
  const { object } = nodeBalloons({ dynamic: 'Live' });
  while (!signal.aborted) {
    try {
      const author = await ownAuthor(kube, signal);
      await kube.resource(FeatureDefinition).create({ ...object, ...(author && { author }) }, { signal });
      return;
    } catch (error) {
      if (hasReason(error, 'AlreadyExists')) return;
      await sleep(kube.clock, declareAgainMs, signal).catch(() => {});
    }
  }
}
