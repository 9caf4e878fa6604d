import { spawn } from 'node:child_process';
import type { ResourceName } from '../planner/amounts.js';
import { type Actuator, type ActuatorAnswer, unknown } from './actuator.js';
import { asQuestion, readAnswer } from './answer.js';

export interface ExecActuatorOptions {
  readonly name: string;
  readonly resources: readonly ResourceName[];
  /** Program and arguments. No shell is involved, and nothing of the API gets into them. */
  readonly command: readonly [string, ...string[]];
  /** All of the environment but PATH, which is ours. */
  readonly env: Readonly<Record<string, string>>;
}

/** No program needs more to say `Done`. */
const maxOutputBytes = 1024 * 1024;

/**
 * Asks a program on the machine of the controller: the question as JSON on its stdin,
 * the answer as JSON on its stdout. A program that fails, says too much or is killed
 * because its time is over has told us nothing.
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
    // A program that does not read its question may still have an answer.
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
