import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { LoggedRun, LogLine } from '@slipway/kube-objects/node-connection/node-connection';
import { simulationPrefix } from '../simulation/simulation-text.js';

const lineEveryMs = 1_000;
const tickEveryMs = 10_000;

/**
 * Generates the log of a container: the lines of an annotation such as `sim.slipway.dev/main.log`, one a second, then
 * a line every ten seconds, and how it ended. Every reading gives the same log.
 *
 * @param fromMs lines before are left out
 */
export function* simulatedLog(pod: Pod, run: LoggedRun, fromMs: number): Generator<LogLine> {
  const { container, image, startedAtMs, ended } = run;
  const untilMs = ended?.atMs ?? Number.POSITIVE_INFINITY;
  const { namespace, name } = pod.metadata;
  const told = pod.metadata.annotations?.[`${simulationPrefix}${container}.log`]?.split('\n') ?? [];
  const first = [`${container} of pod ${namespace}/${name} runs ${image}`, ...told];
  for (const [index, text] of first.entries()) {
    const atMs = startedAtMs + index * lineEveryMs;
    if (atMs >= fromMs && (index === 0 || atMs < untilMs)) yield { atMs, text };
  }
  const tickFromMs = startedAtMs + Math.ceil((first.length * lineEveryMs) / tickEveryMs) * tickEveryMs;
  const skipped = Math.max(0, Math.ceil((fromMs - tickFromMs) / tickEveryMs));
  for (let atMs = tickFromMs + skipped * tickEveryMs; atMs < untilMs; atMs += tickEveryMs) {
    yield { atMs, text: `${container} has run for ${(atMs - startedAtMs) / 1000} s` };
  }
  if (ended && ended.atMs >= fromMs)
    yield { atMs: ended.atMs, text: `${container} ends with exit code ${ended.exitCode}` };
}
