import type { Command } from 'commander';
import { type Invocation, newCommand } from '../runtime/command.js';

/** `slipway help`: `main` reads it as `--help` of the command that follows, so this is only ever described. */
export function command(_invocation: Invocation): Command {
  return newCommand('help', 'Show the help of a command', ['slipway help', 'slipway help node size']).argument(
    '[command...]',
    'words of the command',
  );
}
