import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { simulationPrefix } from '../simulation/simulation-text.js';

/** What a command answers that its pod has an answer for. */
export interface ScriptedAnswer {
  readonly exitCode: number;
  readonly text: string;
}

/**
 * Reads an annotation such as `sim.slipway.dev/main.exec`, a line for each command:
 *
 *     pg_isready => accepting connections
 *     nginx -t =>1 the configuration is broken\nat line 3
 *
 * Behind the arrow stands the exit code, if it is not 0, and then what the command writes: to its output, or when it fails
 * as its error.
 */
export function scriptedAnswer(pod: Pod, container: string, command: readonly string[]): ScriptedAnswer | undefined {
  const script = pod.metadata.annotations?.[`${simulationPrefix}${container}.exec`] ?? '';
  const asked = command.join(' ');
  for (const line of script.split('\n')) {
    const [, name, code = '', text = ''] = answer.exec(line) ?? [];
    if (name !== asked) continue;
    return { exitCode: Number(code) % 256, text: text === '' ? '' : `${text.replaceAll('\\n', '\n')}\n` };
  }
  return undefined;
}

/** Describes the first line of the annotation that cannot be parsed; undefined without such a line or annotation. */
export function scriptedAnswerProblem(pod: Pod, container: string): string | undefined {
  const script = pod.metadata.annotations?.[`${simulationPrefix}${container}.exec`] ?? '';
  const line = script.split('\n').find((each) => each.trim() !== '' && !answer.test(each));
  return line === undefined
    ? undefined
    : `${JSON.stringify(line)} is not COMMAND =>EXITCODE ANSWER, such as "nginx -t =>1 broken"`;
}

const answer = /^\s*(.*?\S)\s*=>(\d{1,3})?(?:\s(.*))?$/;
