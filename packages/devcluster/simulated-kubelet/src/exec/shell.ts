import { posix } from 'node:path';
import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';
import { programs } from './commands.js';
import type { ContainerView } from './container-view.js';
import { cookedInput } from './cooked-input.js';
import { interact } from './interact.js';
import { isWhole } from './parse-script.js';
import type { Process } from './process.js';
import { shellNames } from './program-names.js';
import { ScriptRunner } from './run-script.js';
import { scriptedAnswer } from './scripted-answers.js';
import { newShellState } from './shell-state.js';

const interruptedCode = 130;

/** What runs commands in one container. Nothing of it reaches the machine it runs on. */
export interface Shell {
  readonly view: ContainerView;
  readonly process: Process;
  /** Where a shell without a script takes its commands from, keystroke by keystroke. */
  readonly keyboard: Terminal | undefined;
}

/** Runs one command as it is, without a shell around it. Undefined when the container has no such program. */
export async function runCommand(shell: Shell, command: readonly string[]): Promise<number | undefined> {
  const { view, process, keyboard } = shell;
  const [path = '', ...args] = command;
  const answer = scriptedAnswer(view.pod, view.container.name ?? '', command);
  if (answer) {
    if (answer.exitCode === 0) process.out(answer.text);
    else process.err(answer.text);
    return answer.exitCode;
  }
  const name = posix.basename(path);
  process.path = path;
  const at = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  if (keyboard && shellNames.has(name) && at < 0) {
    const runner = scriptRunner(shell, [], false);
    return interact(keyboard, process, (line) => runner.run(line));
  }
  if (keyboard) return runAtKeyboard(shell, keyboard, command);
  if (!shellNames.has(name)) return Object.hasOwn(programs, name) ? programs[name]?.(process, args) : undefined;
  const isStrict = args.slice(0, at + 1).some((arg) => /^-[a-z]*e/.test(arg));
  const runner = scriptRunner(shell, args.slice(at + 2), isStrict);
  if (at < 0) await runLines(shell, runner);
  else await runner.run(args[at + 1] ?? '');
  return runner.leave();
}

/** Runs a command that leaves it to the terminal what is shown of what is typed, and what Ctrl-C does. */
async function runAtKeyboard(
  shell: Shell,
  keyboard: Terminal,
  command: readonly string[],
): Promise<number | undefined> {
  const { process } = shell;
  const interrupted = new AbortController();
  process.gone = AbortSignal.any([process.gone, interrupted.signal]);
  process.input = cookedInput(keyboard, process.out, () => interrupted.abort());
  const code = await runCommand({ ...shell, keyboard: undefined }, command);
  return interrupted.signal.aborted ? interruptedCode : code;
}

/** Runs what is typed, as soon as it can be understood. */
async function runLines(shell: Shell, runner: ScriptRunner): Promise<number> {
  const { process } = shell;
  let code = 0;
  let script = '';
  for (;;) {
    const line = await process.input?.line();
    if (line === undefined) return script === '' ? code : runner.run(script);
    script += `${line}\n`;
    if (!isWhole(script)) continue;
    code = await runner.run(script);
    script = '';
    if (process.isOver || process.gone.aborted) return code;
  }
}

function scriptRunner(shell: Shell, parameters: readonly string[], isStrict: boolean): ScriptRunner {
  const shellPath = shell.process.path;
  return new ScriptRunner(
    shell.process,
    newShellState(parameters, isStrict, shell.process.path),
    async (process, words) => {
      const code = await runCommand({ ...shell, process, keyboard: undefined }, words);
      if (code === undefined && process.unknown) {
        process.isOver = true;
        return process.unknown();
      }
      process.path = shellPath;
      // A shell in a shell has a script of its own, and ends alone.
      if (shellNames.has(posix.basename(words[0] ?? ''))) process.isOver = false;
      return code;
    },
  );
}
