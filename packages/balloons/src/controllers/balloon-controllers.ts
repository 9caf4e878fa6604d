import {
  type Kube,
  type LeaderLease,
  type Logger,
  lead,
  type Manager,
  type Runnable,
  type SpanRecorder,
  slipwayLabels,
  stderrLog,
} from '@slipway/kube';
import type { Actuator } from '../actuators/actuator.js';
import { type BalloonSwitch, balloonGate } from '../gates/balloon-gate.js';
import type { BalloonMetrics } from '../metrics/balloon-metrics.js';
import { meteredActuators } from '../metrics/metered-actuators.js';
import { aborted } from './aborted.js';
import { balloonManager, type ManagerSettings } from './balloon-manager.js';

export interface BalloonControllersOptions {
  readonly kube: Kube;
  /** Namespace of the balloon pods. Default: `kube-system`. */
  readonly namespace?: string;
  /** Actuators by the name that an `actuatorRef` gives. Default: none. */
  readonly actuators?: ReadonlyMap<string, Actuator>;
  /** Receives metrics. */
  readonly metrics?: BalloonMetrics;
  /** Receives resizes and their phases as they end. */
  readonly trace?: SpanRecorder | undefined;
  /** Evaluates the gate NodeBalloons. Default: always on. */
  readonly gate?: BalloonSwitch;
  /** Elects the leader among several controllers; absent where there is only one. */
  readonly lease?: LeaderLease;
  readonly log?: Logger;
  /** Draws numbers from 0 up to 1. */
  readonly random?: () => number;
}

/**
 * Resizes nodes by balloons (KEP-5620), in a Manager or standalone. Waits until its CRDs are installed. With a lease it
 * works only while it leads, and reports ready while another process leads.
 */
export function balloonControllers(options: BalloonControllersOptions): Runnable {
  const { kube, lease, log = stderrLog } = options;
  const settings = withDefaults(options, log);
  let running: Manager | undefined;
  const work = async (signal: AbortSignal) => {
    const manager = balloonManager(settings);
    running = manager;
    try {
      await manager.start();
      await aborted(signal);
    } catch (error) {
      // Stopped before the first lists had arrived.
      if (!signal.aborted) throw error;
    } finally {
      running = undefined;
      await manager.stop();
    }
  };
  return {
    name: 'balloon-controllers',
    start: (signal) => (lease ? lead({ kube, lease: labelled(lease), log }, work, signal) : work(signal)),
    ready: () => running?.ready() ?? lease !== undefined,
  };
}

function labelled(lease: LeaderLease): LeaderLease {
  return { labels: slipwayLabels('balloons'), ...lease };
}

function withDefaults(options: BalloonControllersOptions, log: Logger): ManagerSettings {
  const { kube, namespace = 'kube-system', actuators = new Map(), random = Math.random, metrics } = options;
  return {
    kube,
    namespace,
    actuators: metrics ? meteredActuators(actuators, metrics, kube.clock) : actuators,
    log,
    random,
    metrics,
    trace: options.trace,
    gate: options.gate ?? balloonGate(),
  };
}
