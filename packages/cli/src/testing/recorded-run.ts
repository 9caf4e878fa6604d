import { nouns } from '../command-line.js';
import { main } from '../run-command.js';
import type { ExitCode } from '../runtime/exit.js';
import type { Noun } from '../runtime/program.js';
import { recordedTerminal } from './recorded-terminal.js';

/** Runs a command line, by default of all commands, to its end: the code that it answers, and what it wrote. */
export async function recordedRun(
  words: readonly string[],
  known: readonly Noun[] = nouns,
): Promise<{ readonly code: ExitCode; readonly out: string; readonly err: string }> {
  const { terminal, written } = recordedTerminal();
  const code = await main(words, known, terminal, AbortSignal.timeout(20_000));
  return { code, ...written };
}
