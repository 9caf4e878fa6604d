import { Command } from 'commander';
import type { ExitCode } from './exit.js';
import type { Terminal } from './terminal.js';

/** What every command is given: where to write, and when to stop. */
export interface Invocation {
  readonly terminal: Terminal;
  /** Aborts on SIGINT, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
  /** The exit code that the command ends with; `run` sets it. */
  answer(code: ExitCode): void;
}

const examplesOfCommand = new WeakMap<Command, readonly string[]>();

/** The examples shown under the help of a command. */
export function examplesOf(command: Command): readonly string[] {
  return examplesOfCommand.get(command) ?? [];
}

/**
 * A command named `name`, with `examples` shown under its help.
 * Wrong usage throws instead of exiting, so that `main` decides what people see.
 */
export function newCommand(name: string, summary: string, examples: readonly string[] = []): Command {
  const command = new Command(name)
    .summary(summary)
    .description(summary)
    .exitOverride()
    .showSuggestionAfterError(true)
    .allowExcessArguments(false)
    .helpCommand(false);
  examplesOfCommand.set(command, examples);
  if (examples.length > 0) {
    command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`);
  }
  return command;
}

/** Collects the values of an option that may be given several times, each with one value, so that it takes no argument for one. */
export function repeated(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value];
}
