import { hostname } from 'node:os';
import { BalloonMetrics, balloonControllers, balloonGate } from '@slipway/balloons';
import { FeatureDefinition, nodeBalloons } from '@slipway/features';
import { hasReason, type Kube, sleep, stderrLog } from '@slipway/kube';
import { balloonConfiguration } from './balloon-configuration.js';
import { serveMetrics } from './serve-metrics.js';

/** Resizes the nodes of a cluster until it is stopped. */
export type BalloonWork = (kube: Kube, untilStopped: AbortSignal) => Promise<void>;

export interface BalloonWorkOptions {
  /** File that configures the controllers. */
  readonly path?: string | undefined;
  /** Patterns of gates that may take published values. */
  readonly allowDynamic: readonly string[];
}

/**
 * The balloon controllers, as a file configures them. Their gate is declared and reported
 * from the moment they run.
 * @throws CommandError (usage) when the file cannot be read or used.
 */
export function balloonWork({ path, allowDynamic }: BalloonWorkOptions): BalloonWork {
  const { actuators, metrics: at } = balloonConfiguration(path);
  return async (kube, untilStopped) => {
    const metrics = new BalloonMetrics(kube.clock);
    const gate = balloonGate();
    const reporting = gate.startReporting({
      transport: kube.transport,
      namespace: 'kube-system',
      instance: hostname(),
      dynamicFeatures: allowDynamic,
      startWithinMs: 200,
      clock: kube.clock,
    });
    try {
      await using _server = at && (await serveMetrics(at, () => metrics.page() + gate.metrics()));
      const controllers = balloonControllers({ kube, actuators, metrics, gate });
      await Promise.all([controllers.start(untilStopped), declareGate(kube, untilStopped)]);
    } catch (error) {
      if (!untilStopped.aborted) stderrLog.error('the balloon controllers have ended', { error: String(error) });
    } finally {
      await reporting.stop();
    }
  };
}

const declareAgainMs = 1_000;

/** A gate that nobody reports is not declared, so this one comes with its controllers, once its kind is served. */
async function declareGate(kube: Kube, signal: AbortSignal): Promise<void> {
  const { object } = nodeBalloons({ dynamic: 'Live' });
  while (!signal.aborted) {
    try {
      await kube.resource(FeatureDefinition).create(object, { signal });
      return;
    } catch (error) {
      if (hasReason(error, 'AlreadyExists')) return;
      await sleep(kube.clock, declareAgainMs, signal).catch(() => {});
    }
  }
}
