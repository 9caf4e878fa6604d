import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { simulatedDurationMs, simulationPrefix } from './simulation-text.js';

/** How a container ends by itself, each time it runs. */
export interface SimulatedExit {
  readonly code: number;
  /** How long it runs before; undefined when the usual time of its kind counts. */
  readonly afterMs: number | undefined;
}

/**
 * Parses the scripted exit of a container from an annotation such as `sim.slipway.dev/main: exit=1,after=5s`. Returns
 * undefined without an annotation, and a message when it cannot be parsed.
 */
export function simulatedExit(pod: Pod, containerName: string): SimulatedExit | string | undefined {
  const text = pod.metadata.annotations?.[`${simulationPrefix}${containerName}`];
  return text === undefined ? undefined : parseExit(text);
}

function parseExit(text: string): SimulatedExit | string {
  let code: number | undefined;
  let afterMs: number | undefined;
  for (const part of text.split(',').map((each) => each.trim())) {
    const [, name, value = ''] = /^(\w+)\s*=\s*(.*)$/.exec(part) ?? [];
    if (name === 'exit' && /^\d{1,3}$/.test(value) && Number(value) <= 255) code = Number(value);
    else if (name === 'after' && simulatedDurationMs(value) !== undefined) afterMs = simulatedDurationMs(value);
    else return `${JSON.stringify(part)} is neither exit=CODE (0 to 255) nor after=DURATION (such as 5s)`;
  }
  return code === undefined ? 'exit=CODE is missing' : { code, afterMs };
}
