import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';
import { isImageForTests } from '../ports/test-servers.js';
import { simulationPrefix } from '../simulation/simulation-text.js';
import { defaultProgram } from './default-program.js';
import { isProgram } from './program-names.js';
import { scriptedAnswer } from './scripted-answers.js';

/**
 * The program that a container runs, with its arguments as the pod has them, where it is simulated; without any, the one
 * that its image is known to run. Containers with an annotation do what that says. One with standard input whose
 * program is not simulated runs a shell, so that a client can attach to something, and all others run until they are
 * stopped.
 */
export function programOf({ metadata, ...pod }: Pod, container: Container): readonly string[] | undefined {
  const { name, image = '', command, args, stdin, tty } = container as Container & { stdin?: boolean; tty?: boolean };
  if (metadata.annotations?.[`${simulationPrefix}${name}`] !== undefined) return undefined;
  const words = [...(command?.length ? command : entryPointOf(image)), ...(args ?? [])];
  const [first] = words;
  if (first !== undefined && (isProgram(first) || scriptedAnswer({ metadata, ...pod }, name, words))) return words;
  const isInit = (pod.spec.initContainers ?? []).some((init) => init.name === name);
  if (stdin && !isInit) return ['sh'];
  const program = words.length === 0 ? defaultProgram(image) : undefined;
  // A shell reads from its terminal, and the end of its input never comes.
  return tty && program?.[0] === 'sh' ? undefined : program;
}

/** Returns the entry point of an image whose programs are simulated. */
function entryPointOf(image: string): readonly string[] {
  return isImageForTests(image) ? ['/agnhost'] : [];
}
