import type { Clock } from '@slipway/kube';
import type { Actuator, ActuatorAnswer } from '../actuators/actuator.js';
import type { BalloonMetrics } from './balloon-metrics.js';

/** Wraps actuators so that their calls are counted and timed. */
export function meteredActuators(
  actuators: ReadonlyMap<string, Actuator>,
  metrics: Pick<BalloonMetrics, 'actuatorAnswered'>,
  clock: Clock,
): ReadonlyMap<string, Actuator> {
  return new Map([...actuators].map(([name, actuator]) => [name, metered(actuator)]));

  function metered(actuator: Actuator): Actuator {
    const timed = async (verb: 'ensure' | 'observe', call: () => Promise<ActuatorAnswer>) => {
      const startedMs = clock.monotonicMs();
      const answer = await call();
      const labels = { actuator: actuator.name, verb, result: answer.state };
      metrics.actuatorAnswered(labels, clock.monotonicMs() - startedMs);
      return answer;
    };
    return {
      name: actuator.name,
      resources: actuator.resources,
      ensure: (operation, signal) => timed('ensure', () => actuator.ensure(operation, signal)),
      observe: (machine, signal) => timed('observe', () => actuator.observe(machine, signal)),
    };
  }
}
