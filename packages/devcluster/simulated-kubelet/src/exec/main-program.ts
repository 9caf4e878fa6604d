import { posix } from 'node:path';
import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';
import { ContainerFiles } from './container-files.js';
import type { ContainerView } from './container-view.js';
import { environmentOf, expanded } from './environment.js';
import { isProgram } from './program-names.js';
import { exitCodeOf } from './run-in-container.js';
import { scriptedAnswer } from './scripted-answers.js';

/**
 * Attaches a client to the program that a container with standard input runs. Resolves with its exit code when it ends:
 * because it was told to, because its input ended, or because it was done. Undefined when it runs on: a client that goes away
 * takes the input with it only where the container says `stdinOnce`, and never at a terminal.
 */
export async function talkToMain(view: ContainerView, tty: boolean, terminal: Terminal): Promise<number | undefined> {
  const closes = view.container.stdinOnce === true && !tty;
  const heard: Terminal = {
    gone: terminal.gone,
    listen(onBytes, onEnd) {
      terminal.listen(onBytes, () => closes && onEnd());
      terminal.gone.addEventListener('abort', onEnd, { once: true });
    },
    stdout: (bytes) => terminal.stdout(bytes),
    stderr: (bytes) => terminal.stderr(bytes),
    get size() {
      return terminal.size;
    },
    finish: (status) => terminal.finish(status),
  };
  const code = await exitCodeOf(view, { command: mainCommand(view), stdin: true, tty }, heard);
  return terminal.gone.aborted && !closes ? undefined : code;
}

/**
 * Runs what a container runs that has no standard input. Resolves with its exit code, and with what it left for its status.
 * @param unknown what becomes of it when it needs what is not simulated; resolves with the exit code
 */
export async function runMainProgram(
  view: ContainerView,
  written: readonly string[],
  terminal: Terminal,
  unknown: () => Promise<number>,
): Promise<{ readonly code: number; readonly left: Buffer }> {
  const environment = environmentOf(view);
  const command = written.map((word) => expanded(word, environment));
  const excused = { run: unknown, excuses: 'image' } as const;
  const code = await exitCodeOf(view, { command, stdin: false, tty: false }, terminal, excused);
  const { terminationMessagePath = '/dev/termination-log' } = view.container;
  const left = await new ContainerFiles(view).read(posix.resolve('/', terminationMessagePath));
  return { code: code ?? 0, left: left ?? Buffer.alloc(0) };
}

/** What the container runs; a shell where that is a program that is not simulated, or the image would say it. */
function mainCommand({ pod, container }: ContainerView): readonly string[] {
  const { command, args } = container as { command?: readonly string[] | null; args?: readonly string[] | null };
  const words = [...(command ?? []), ...(args ?? [])];
  const isKnown = isProgram(words[0] ?? '') || scriptedAnswer(pod, container.name ?? '', words) !== undefined;
  return isKnown ? words : ['sh'];
}
