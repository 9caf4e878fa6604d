import type { Container, LifecycleHook, Pod, Probe } from '@slipway/kube-objects/kinds/api/pods';
import { isProgram } from '../exec/program-names.js';
import { scriptedAnswer } from '../exec/scripted-answers.js';
import { simulationPrefix } from '../simulation/simulation-text.js';
import { servedFile } from './known-servers.js';
import type { ProbeName } from './probe-script.js';

export const probeNames: readonly ProbeName[] = ['startup', 'readiness', 'liveness'];

/** What is done in a container to probe it: a command is run, or a file looked for that its web server serves. */
export type ProbeAction =
  | { readonly kind: 'command'; readonly command: readonly string[] }
  | { readonly kind: 'file'; readonly path: string };

/** Returns what is done for a probe that is simulated; undefined where it is not, or an annotation says what it finds. */
export function probeAction(pod: Pod, container: Container, name: ProbeName): ProbeAction | undefined {
  const annotation = `${simulationPrefix}${container.name}.${name}`;
  if (pod.metadata.annotations?.[annotation] !== undefined) return undefined;
  const probe = container[`${name}Probe`];
  const command = simulated(pod, container, probe?.exec?.command);
  if (command) return { kind: 'command', command };
  const path = servedFile(container, probe);
  return path === undefined ? undefined : { kind: 'file', path };
}

/** What a hook of a container does: a command is run in it, or a page is got. */
export type HookAction =
  | { readonly kind: 'command'; readonly command: readonly string[] }
  | {
      readonly kind: 'page';
      /** Undefined for the pod itself. */
      readonly address: string | undefined;
      readonly port: number;
      readonly path: string;
    };

/** Returns the action of a postStart hook, where it is simulated. */
export function postStartAction(pod: Pod, container: Container): HookAction | undefined {
  return hookAction(pod, container, container.lifecycle?.postStart);
}

/** Returns the action of a preStop hook, where it is simulated and takes a time that is not known. */
export function preStopAction(pod: Pod, container: Container): HookAction | undefined {
  return hookAction(pod, container, container.lifecycle?.preStop);
}

function hookAction(pod: Pod, container: Container, hook: LifecycleHook | undefined): HookAction | undefined {
  const command = simulated(pod, container, hook?.exec?.command);
  if (command) return { kind: 'command', command };
  const { host, port, path = '/' } = hook?.httpGet ?? {};
  const number = typeof port === 'number' ? port : container.ports?.find(({ name }) => name === port)?.containerPort;
  if (number === undefined) return undefined;
  return { kind: 'page', address: host, port: number, path: path.startsWith('/') ? path : `/${path}` };
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
