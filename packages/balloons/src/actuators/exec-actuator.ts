import { spawn } from 'node:child_process';
import type { ResourceName } from '../planner/amounts.js';
import { type Actuator, type ActuatorAnswer, unknown } from './actuator.js';
import { asQuestion, readAnswer } from './answer.js';

export interface ExecActuatorOptions {
  readonly name: string;
  readonly resources: readonly ResourceName[];
  /** Program and arguments, run without a shell. They contain nothing from API objects. */
  readonly command: readonly [string, ...string[]];
  /** The environment of the program, to which PATH of this process is added. */
  readonly env: Readonly<Record<string, string>>;
}

/** Maximum length of an answer, in bytes. */
const maxOutputBytes = 1024 * 1024;

/**
 * Runs a program on the machine of the controller, with the request as JSON on its stdin and the answer as JSON on its
 * stdout. A program that fails, writes too much or exceeds its time limit leaves the state `Unknown`.
 */
export function execActuator({ name, resources, command, env }: ExecActuatorOptions): Actuator {
  const ask = (question: string, signal: AbortSignal) => run(command, env, question, signal);
  return {
    name,
    resources,
    ensure: (operation, signal) => ask(asQuestion('ensure', operation), signal),
    observe: (machine, signal) => ask(asQuestion('observe', machine), signal),
  };
}

function run(
  [program, ...args]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  question: string,
  signal: AbortSignal,
): Promise<ActuatorAnswer> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: { PATH: process.env.PATH, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    });
    let said = '';
    let complaint = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      if (said.length > maxOutputBytes) child.kill('SIGKILL');
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      complaint = (complaint + chunk).slice(-2_048);
    });
    // A program that does not read its request may still answer.
    child.stdin.on('error', () => {});
    child.stdin.end(question);
    child.on('error', (error) => resolve(unknown(`${program}: ${signal.aborted ? 'out of time' : error.message}`)));
    child.on('close', (code, killedBy) => {
      if (said.length > maxOutputBytes) resolve(unknown(`${program}: more than 1 MiB of output`));
      else if (code === 0) resolve(readAnswer(said));
      else resolve(unknown(`${program}: ${killedBy ?? `exit code ${code}`}${lastLine(complaint)}`));
    });
  });
}

function lastLine(text: string): string {
  const line = text.trimEnd().split('\n').at(-1) ?? '';
  return line === '' ? '' : `: ${line.slice(0, 200)}`;
}
