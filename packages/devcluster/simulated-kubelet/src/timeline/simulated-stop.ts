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

/** At least so much is left to a container after its preStop hook, as kubelets have it. */
const minGraceMs = 2_000;

/**
 * When a container that runs has stopped: its preStop hook comes first, as long as the grace period lasts; then it
 * takes the time that it takes, and is killed when what is left of the period is over. Kubelets count whole seconds.
 *
 * @param usualMs what containers take that were told nothing
 * @param hookMs what its hook has taken
 */
export function stopOf(
  pod: Pod,
  container: Container,
  usualMs: number,
  fromMs: number,
  graceMs: number,
  hookMs = sleepMs(container),
): Stop {
  const told = simulatedStop(pod, container.name);
  const neededMs = typeof told === 'number' ? told : Math.min(usualMs, graceMs);
  const beginsMs = Math.min(hookMs, graceMs);
  const leftMs = Math.max(minGraceMs, graceMs - Math.floor(beginsMs / 1000) * 1000);
  const [takesMs, code] = neededMs <= leftMs ? ([neededMs, 0] as const) : ([leftMs, 137] as const);
  return { atMs: fromMs + beginsMs + takesMs, code };
}

function sleepMs({ lifecycle }: Container): number {
  return (lifecycle?.preStop?.sleep?.seconds ?? 0) * 1000;
}
