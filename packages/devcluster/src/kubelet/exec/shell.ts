import { posix } from 'node:path';
import { programs } from './commands.js';
import type { ContainerView } from './container-view.js';
import { interact } from './interact.js';
import { parseScript, ScriptError, type ScriptStep, wordText } from './parse-script.js';
import type { Process } from './process.js';
import { scriptedAnswer } from './scripted-answers.js';
import type { Terminal } from './terminal.js';

const shells = new Set(['sh', 'ash', 'bash', 'dash']);
const notFound = 127;

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
  if (!shells.has(name)) return Object.hasOwn(programs, name) ? programs[name]?.(process, args) : undefined;
  const at = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  if (at >= 0) return runScript(shell, args[at + 1] ?? '');
  if (keyboard) return interact(keyboard, process, (line) => runScript(shell, line));
  return runScript(shell, process.input ? (await process.input()).toString() : '');
}

/** Runs the commands of a script until one says `exit`. Resolves with the exit code. */
export async function runScript(shell: Shell, script: string): Promise<number> {
  const { process } = shell;
  let code = 0;
  try {
    for (const step of parseScript(script)) {
      if (process.gone.aborted) return code;
      if ((step.when === '&&' && code !== 0) || (step.when === '||' && code === 0)) continue;
      const words = step.words.map((word) => wordText(word, (name) => variableOf(process, name, code)));
      if (words[0] === 'exit') {
        process.isOver = true;
        return words[1] === undefined ? code : Number(words[1]) & 255;
      }
      code = await runStep(shell, step, words);
      if (process.isOver) return code;
    }
    return code;
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    process.err(`sh: ${error.message}\n`);
    return 2;
  }
}

async function runStep(shell: Shell, { silent }: ScriptStep, words: readonly string[]): Promise<number> {
  const { process } = shell;
  const [name = ''] = words;
  const isExport = name === 'export';
  const assignments = isExport ? words.slice(1) : words;
  if (assignments.every((word) => /^[A-Za-z_]\w*=/.test(word))) {
    for (const word of assignments)
      process.environment.set(word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1));
    return 0;
  }
  const { out, err } = process;
  process.out = silent.stdout ? () => {} : out;
  process.err = silent.stderr ? () => {} : err;
  try {
    // A shell in a shell has a script of its own, and ends alone.
    const code = await runCommand({ ...shell, keyboard: undefined }, words);
    if (shells.has(posix.basename(name))) process.isOver = false;
    if (code !== undefined) return code;
    process.err(`sh: ${name}: not found\n`);
    return notFound;
  } finally {
    process.out = out;
    process.err = err;
  }
}

function variableOf({ environment }: Process, name: string, code: number): string | undefined {
  if (name === '?') return String(code);
  return name === '$' ? '7' : environment.get(name);
}
