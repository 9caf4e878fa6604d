import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { simulatedDurationMs, simulationPrefix } from '../simulation/simulation-text.js';

export type ProbeName = 'startup' | 'readiness' | 'liveness';

/** From some moment after the start of a container on, what a probe of it finds. */
export interface ProbeTurn {
  readonly fromMs: number;
  readonly succeeds: boolean;
}

/**
 * Parses the scripted results of a container's probe from an annotation such as `sim.slipway.dev/main.readiness:
 * fail,ok@5s,fail@1m`: each time the container runs it fails at first, succeeds after 5 s and fails again after a
 * minute. Probes that were told nothing always succeed.
 * @returns a text that says what is wrong when the annotation cannot be read
 */
export function probeScript(pod: Pod, containerName: string, probe: ProbeName): readonly ProbeTurn[] | string {
  const text = pod.metadata.annotations?.[`${simulationPrefix}${containerName}.${probe}`];
  if (text === undefined) return [{ fromMs: 0, succeeds: true }];
  const turns: ProbeTurn[] = [];
  for (const part of text.split(',').map((each) => each.trim())) {
    const [, outcome, after] = /^(ok|fail)(?:@(.+))?$/.exec(part) ?? [];
    const fromMs = after === undefined ? 0 : simulatedDurationMs(after);
    const isLater = turns.length === 0 || (fromMs ?? 0) > (turns.at(-1)?.fromMs ?? 0);
    if (outcome === undefined || fromMs === undefined || !isLater) {
      return `${JSON.stringify(part)} is not a result: ok or fail, each after the one before (such as fail,ok@5s,fail@1m)`;
    }
    turns.push({ fromMs, succeeds: outcome === 'ok' });
  }
  return turns[0]?.fromMs === 0 ? turns : [{ fromMs: 0, succeeds: true }, ...turns];
}
