import { posix } from 'node:path';
import type { Terminal } from '../../kube-objects/node-connection/terminal.js';
import { programs } from './commands.js';
import type { ContainerView } from './container-view.js';
import { cookedInput } from './cooked-input.js';
import { inputOf } from './input.js';
import { interact } from './interact.js';
import { isWhole, parseScript, ScriptError, type ScriptStep, type Word, wordText } from './parse-script.js';
import type { Process } from './process.js';
import { RedirectionError, redirect } from './redirect.js';
import { scriptedAnswer } from './scripted-answers.js';

const shells = new Set(['sh', 'ash', 'bash', 'dash']);
const notFound = 127;
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
  const at = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  if (keyboard && shells.has(name) && at < 0) return interact(keyboard, process, (line) => runScript(shell, line));
  if (keyboard) return runAtKeyboard(shell, keyboard, command);
  if (!shells.has(name)) return Object.hasOwn(programs, name) ? programs[name]?.(process, args) : undefined;
  return at >= 0 ? runScript(shell, args[at + 1] ?? '') : runLines(shell);
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

/** Whether the container has such a program, and is not only told that it has. */
export function isProgram(path: string): boolean {
  const name = posix.basename(path);
  return shells.has(name) || Object.hasOwn(programs, name);
}

/** Runs what is typed, as soon as it can be understood. */
async function runLines(shell: Shell): Promise<number> {
  const { process } = shell;
  let code = 0;
  let script = '';
  for (;;) {
    const line = await process.input?.line();
    if (line === undefined) return script === '' ? code : runScript(shell, script, code);
    script += `${line}\n`;
    if (!isWhole(script)) continue;
    code = await runScript(shell, script, code);
    script = '';
    if (process.isOver || process.gone.aborted) return code;
  }
}

/** Runs the commands of a script until one says `exit`. `before` is the exit code of what ran before it. Resolves with the exit code. */
async function runScript(shell: Shell, script: string, before = 0): Promise<number> {
  const { process } = shell;
  let code = before;
  try {
    for (const [first, ...piped] of pipelines(parseScript(script))) {
      if (process.gone.aborted) return code;
      if ((first.when === '&&' && code !== 0) || (first.when === '||' && code === 0)) continue;
      code = piped.length === 0 ? await runStep(shell, first, code) : await runPiped(shell, [first, ...piped], code);
      if (process.isOver) return code;
    }
    return code;
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    process.err(`sh: ${error.message}\n`);
    return 2;
  }
}

/** Steps one after the other, with those that read what the one before writes. */
function pipelines(steps: readonly ScriptStep[]): readonly [ScriptStep, ...ScriptStep[]][] {
  const all: [ScriptStep, ...ScriptStep[]][] = [];
  for (const step of steps) {
    const last = all.at(-1);
    if (step.when === '|' && last) last.push(step);
    else all.push([step]);
  }
  return all;
}

/** Each command has all that the one before has written. None of them ends the shell. */
async function runPiped(shell: Shell, steps: readonly ScriptStep[], before: number): Promise<number> {
  const { process } = shell;
  const { input, out } = process;
  let code = before;
  try {
    for (const [at, step] of steps.entries()) {
      const written: Buffer[] = [];
      process.out = at === steps.length - 1 ? out : (bytes) => void written.push(Buffer.from(bytes as string));
      code = await runStep(shell, step, before);
      process.isOver = false;
      process.input = inputOf(Buffer.concat(written));
    }
    return code;
  } finally {
    Object.assign(process, { input, out });
  }
}

async function runStep(shell: Shell, { redirections, words: written }: ScriptStep, before: number): Promise<number> {
  const { process } = shell;
  const textOf = (word: Word) => wordText(word, (name) => variableOf(process, name, before));
  const words = written.map(textOf);
  if (words[0] === 'exit') {
    process.isOver = true;
    return words[1] === undefined ? before : Number(words[1]) & 255;
  }
  if (redirections.length === 0) return runWords(shell, words);
  const { input, out, err } = process;
  try {
    const writeFiles = await redirect(process, redirections, textOf);
    const code = words.length === 0 ? 0 : await runWords(shell, words);
    writeFiles();
    return code;
  } catch (error) {
    if (!(error instanceof RedirectionError)) throw error;
    err(`sh: ${error.message}\n`);
    return 1;
  } finally {
    Object.assign(process, { input, out, err });
  }
}

async function runWords(shell: Shell, words: readonly string[]): Promise<number> {
  const { process } = shell;
  const [name = ''] = words;
  const isExport = name === 'export';
  const assignments = isExport ? words.slice(1) : words;
  if (assignments.every((word) => /^[A-Za-z_]\w*=/.test(word))) {
    for (const word of assignments)
      process.environment.set(word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1));
    return 0;
  }
  // A shell in a shell has a script of its own, and ends alone.
  const code = await runCommand({ ...shell, keyboard: undefined }, words);
  if (shells.has(posix.basename(name))) process.isOver = false;
  if (code !== undefined) return code;
  process.err(`sh: ${name}: not found\n`);
  return notFound;
}

function variableOf({ environment }: Process, name: string, code: number): string | undefined {
  if (name === '?') return String(code);
  return name === '$' ? '7' : environment.get(name);
}
