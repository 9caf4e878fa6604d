import type { Pod } from '../controllers/api/pods.js';

/** How a container ends by itself, each time it runs. */
export interface SimulatedExit {
  readonly code: number;
  /** How long it runs before; undefined when the usual time of its kind counts. */
  readonly afterMs: number | undefined;
}

/** Annotations with this prefix and the name of a container say how that container ends. */
export const exitPrefix = 'sim.slipway.dev/';

/**
 * How a container of this pod was told to end, from an annotation such as
 * `sim.slipway.dev/main: exit=1,after=5s`. Undefined when it was told nothing, a text
 * that says what is wrong when the annotation cannot be read.
 */
export function simulatedExit(pod: Pod, containerName: string): SimulatedExit | string | undefined {
  const text = pod.metadata.annotations?.[`${exitPrefix}${containerName}`];
  return text === undefined ? undefined : parseExit(text);
}

function parseExit(text: string): SimulatedExit | string {
  let code: number | undefined;
  let afterMs: number | undefined;
  for (const part of text.split(',').map((each) => each.trim())) {
    const [, name, value = ''] = /^(\w+)\s*=\s*(.*)$/.exec(part) ?? [];
    if (name === 'exit' && /^\d{1,3}$/.test(value) && Number(value) <= 255) code = Number(value);
    else if (name === 'after' && durationMs(value) !== undefined) afterMs = durationMs(value);
    else return `${JSON.stringify(part)} is neither exit=CODE (0 to 255) nor after=DURATION (such as 5s)`;
  }
  return code === undefined ? 'exit=CODE is missing' : { code, afterMs };
}

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Reads `1m30s` and the like, up to ten years; undefined for anything else. */
function durationMs(text: string): number | undefined {
  if (!/^(\d{1,9}(\.\d{1,3})?(ms|s|m|h))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/([\d.]+)(ms|s|m|h)/g)];
  const totalMs = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitMs[unit ?? ''] ?? 0), 0);
  return totalMs <= 10 * 365 * 24 * 3_600_000 ? Math.round(totalMs) : undefined;
}
