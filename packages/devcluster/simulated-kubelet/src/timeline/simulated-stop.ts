import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';
import { simulatedDurationMs, simulationPrefix } from '../simulation/simulation-text.js';
import type { Stop } from './timeline-changes.js';

/**
 * Parses how long a container takes to stop from an annotation such as `sim.slipway.dev/main.stop: 5s`; a message
 * when it cannot be parsed.
 */
export function simulatedStop(pod: Pod, containerName: string): number | string | undefined {
  const text = pod.metadata.annotations?.[`${simulationPrefix}${containerName}.stop`];
  if (text === undefined) return undefined;
  return simulatedDurationMs(text.trim()) ?? `${JSON.stringify(text)} is not a duration (such as 5s)`;
}

/**
 * When a container that runs has stopped: first its preStop hook sleeps, then it takes the time that it takes; when
 * its grace period is over it is killed.
 *
 * @param usualMs what containers take that were told nothing
 */
export function stopOf(pod: Pod, container: Container, usualMs: number, fromMs: number, graceMs: number): Stop {
  const told = simulatedStop(pod, container.name);
  const sleepMs = (container.lifecycle?.preStop?.sleep?.seconds ?? 0) * 1000;
  const neededMs = sleepMs + (typeof told === 'number' ? told : Math.min(usualMs, graceMs));
  return neededMs <= graceMs ? { atMs: fromMs + neededMs, code: 0 } : { atMs: fromMs + graceMs, code: 137 };
}
