import type { Command } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { check } from './check.js';
import { prepare } from './prepare.js';

/** `slipway upgrade`, with its verbs. */
export function command(invocation: Invocation): Command {
  return newCommand('upgrade', 'Check for blockers of a move to another Kubernetes version, and prepare for it')
    .addCommand(check(invocation))
    .addCommand(prepare(invocation));
}
