import { type Command, CommanderError } from 'commander';
import { type Invocation, newCommand } from './command.js';
import { type ExitCode, exit } from './exit.js';
import { explain } from './explain.js';
import type { Terminal } from './terminal.js';

/** A word after `slipway`; its commands are loaded only when it is the one typed. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ command(invocation: Invocation): Command }>;
}

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
  const words = argv.filter((word) => word !== '--verbose');
  try {
    const program = newCommand('slipway', 'Take Kubernetes features from proposal to safely on, watched and off again')
      .usage('[--verbose] <command>')
      .option('--verbose', 'show the stack and the causes of an error')
      .configureHelp({ subcommandTerm: (sub) => sub.name(), sortSubcommands: false });
    const typed = nouns.find(({ name }) => name === words[0]);
    for (const noun of nouns) {
      program.addCommand(
        noun === typed ? (await noun.load()).command(invocation) : newCommand(noun.name, noun.summary),
      );
    }
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

/** Commander has already written what is wrong; only the exit code is ours. */
function usage(error: CommanderError, terminal: Terminal): ExitCode {
  if (error.exitCode === 0) return exit.ok;
  if (error.code === 'commander.help') return exit.usage;
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
