import { type Command, CommanderError, InvalidArgumentError } from 'commander';
import type { Invocation } from './runtime/command.js';
import { type ExitCode, exit } from './runtime/exit.js';
import { explain } from './runtime/explain.js';
import { buildProgram, type Noun } from './runtime/program.js';
import type { Terminal } from './runtime/terminal.js';

/** Runs one command line and resolves with its exit code. Never throws. */
export async function main(
  argv: readonly string[],
  nouns: readonly Noun[],
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  let code: ExitCode = exit.ok;
  const answer = (answered: ExitCode) => {
    code = answered;
  };
  const invocation: Invocation = { terminal, signal, answer };
  const verbose = argv.includes('--verbose');
  try {
    if (argv[0] === '__complete') {
      const { answerCompletion } = await import('./completion/answer-completion.js');
      await answerCompletion(argv.slice(1), nouns, invocation);
      return code;
    }
    const words = helpWords(argv.filter((word) => word !== '--verbose'));
    const program = await buildProgram(nouns, invocation, (noun) => noun === words[0]);
    writeTo(program, terminal);
    if (words.length === 0) {
      program.outputHelp();
      return exit.ok;
    }
    await program.parseAsync([...words], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return usage(error, terminal);
    const { code: failed, message, hint } = explain(error, signal);
    if (message !== '') terminal.err(`slipway: ${message}\n`);
    if (hint) terminal.err(`To fix: ${hint}\n`);
    if (verbose) terminal.err(`${stackOf(error)}\n`);
    return failed;
  }
}

/** `slipway help node size` is `slipway node size --help`. */
function helpWords(words: readonly string[]): readonly string[] {
  return words[0] === 'help' && !words.includes('--help') ? [...words.slice(1), '--help'] : words;
}

/** Commander has already written what is wrong, unless a command found it while it ran; only the exit code is ours. */
function usage(error: CommanderError, terminal: Terminal): ExitCode {
  if (error.exitCode === 0) return exit.ok;
  if (error.code === 'commander.help') return exit.usage;
  if (error instanceof InvalidArgumentError) terminal.err(`slipway: ${error.message}\n`);
  terminal.err('To fix: see the same command with --help\n');
  return exit.usage;
}

function writeTo(command: Command, terminal: Terminal): void {
  command.configureOutput({
    writeOut: (text) => terminal.out(text),
    writeErr: (text) => terminal.err(text),
    outputError: (text, write) => write(`slipway: ${text.replace(/^error: /, '')}`),
    getOutHelpWidth: () => terminal.columns,
    getErrHelpWidth: () => terminal.columns,
  });
  for (const sub of command.commands) writeTo(sub, terminal);
}

function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\nCaused by: ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
