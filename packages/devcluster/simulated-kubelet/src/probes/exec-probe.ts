import type { Container, Pod, Probe } from '@slipway/kube-objects/kinds/api/pods';
import { isProgram } from '../exec/program-names.js';
import { scriptedAnswer } from '../exec/scripted-answers.js';
import { simulationPrefix } from '../simulation/simulation-text.js';
import type { ProbeName } from './probe-script.js';

export const probeNames: readonly ProbeName[] = ['startup', 'readiness', 'liveness'];

/** The command of a probe that is run, because it is simulated and no annotation says what it finds; undefined for others. */
export function execCommand(pod: Pod, container: Container, name: ProbeName): readonly string[] | undefined {
  const annotation = `${simulationPrefix}${container.name}.${name}`;
  if (pod.metadata.annotations?.[annotation] !== undefined) return undefined;
  return simulated(pod, container, container[`${name}Probe`]?.exec?.command);
}

/** The command that is run in a container as soon as it has started, where it is simulated. */
export function postStartCommand(pod: Pod, container: Container): readonly string[] | undefined {
  return simulated(pod, container, container.lifecycle?.postStart?.exec?.command);
}

/** The command that is run in a container before it is stopped, where it is simulated. */
export function preStopCommand(pod: Pod, container: Container): readonly string[] | undefined {
  return simulated(pod, container, container.lifecycle?.preStop?.exec?.command);
}

function simulated(
  pod: Pod,
  { name }: Container,
  command: readonly string[] | undefined,
): readonly string[] | undefined {
  if (!command?.[0]) return undefined;
  return isProgram(command[0]) || scriptedAnswer(pod, name, command) ? command : undefined;
}

/** Counts what a probe finds, until enough in a row agree. */
export class ProbeCount {
  readonly #probe: Probe;
  #agreeing = 0;
  #last: boolean | undefined;
  /** What was found out last; undefined while nothing was. */
  verdict: boolean | undefined;

  constructor(probe: Probe) {
    this.#probe = probe;
  }

  /** Returns the verdict where it is another than before. */
  add(succeeds: boolean): boolean | undefined {
    const { successThreshold = 1, failureThreshold = 3 } = this.#probe;
    this.#agreeing = this.#last === succeeds ? this.#agreeing + 1 : 1;
    this.#last = succeeds;
    if (this.#agreeing < (succeeds ? successThreshold : failureThreshold) || this.verdict === succeeds)
      return undefined;
    this.verdict = succeeds;
    return succeeds;
  }
}
