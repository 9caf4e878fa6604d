import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { calledAs } from '../output/called-as.js';
import { type Invocation, newCommand } from './command.js';

/** A word after `slipway`; its commands are loaded only when it is the one typed. */
export interface Noun {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ command(invocation: Invocation): Command }>;
}

/**
 * The command tree with the named nouns loaded, and of the others only their names.
 * @param isNeeded which nouns to load
 */
export async function buildProgram(
  nouns: readonly Noun[],
  invocation: Invocation,
  isNeeded: (noun: string) => boolean,
): Promise<Command> {
  const program = newCommand('slipway', 'Turn Kubernetes features on and off safely, from the proposal on')
    .name(calledAs)
    .usage('[--verbose] <command>')
    .version(`slipway ${version()}`, '-V, --version', 'print the version')
    .option('--verbose', 'show the stack and the causes of an error')
    .enablePositionalOptions()
    .configureHelp({ subcommandTerm: (sub) => sub.name(), sortSubcommands: false });
  for (const { name, summary, load } of nouns) {
    program.addCommand(isNeeded(name) ? (await load()).command(invocation) : newCommand(name, summary));
  }
  return program;
}

/** The version of this package. */
export function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}
