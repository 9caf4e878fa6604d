import { spawn } from 'node:child_process';
import { slipwayProgram } from './slipway.js';

/** A `slipway` command that goes on, in a process of its own; killed when it is disposed. */
export interface SlipwayProcess extends AsyncDisposable {
  /** What it has written to stdout. */
  output(): string;
  /** What it has written to stderr. */
  log(): string;
  /** SIGTERM, and resolves with its exit code. */
  end(): Promise<number | null>;
}

/** Starts `slipway WORDS` and waits for its first word. */
export async function startCommand(...words: string[]): Promise<SlipwayProcess> {
  const child = spawn(process.execPath, [slipwayProgram, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += String(chunk);
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const spoken = [child.stdout, child.stderr].map((stream) => new Promise((resolve) => stream.once('data', resolve)));
  await Promise.race([...spoken, ended]);
  return {
    output: () => output,
    log: () => log,
    async end() {
      child.kill('SIGTERM');
      return await ended;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
