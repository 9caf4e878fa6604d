import { posix } from 'node:path';
import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';
import { ContainerFiles } from './container-files.js';
import type { ContainerView } from './container-view.js';
import { environmentOf, expanded } from './environment.js';
import { shellNames } from './program-names.js';
import { exitCodeOf } from './run-in-container.js';

/**
 * Runs the program of a container. Resolves with its exit code, and with what it left for its status.
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
  const { stdin = false, tty = false } = view.container as { readonly stdin?: boolean; readonly tty?: boolean };
  // A shell that reads what people type tells them what it does not have.
  const isTyped = stdin && shellNames.has(posix.basename(command[0] ?? '')) && command.length === 1;
  const excused = isTyped ? undefined : ({ run: unknown, excuses: 'image' } as const);
  const code = await exitCodeOf(view, { command, stdin, tty: stdin && tty }, terminal, excused);
  const { terminationMessagePath = '/dev/termination-log' } = view.container;
  const left = await new ContainerFiles(view).read(posix.resolve('/', terminationMessagePath));
  return { code: code ?? 0, left: left ?? Buffer.alloc(0) };
}
