import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { adminClient, adminOf, bypassFileOf, DaemonAwayError } from '@slipway/image-pulls';
import type { Command } from 'commander';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';
import { type DaemonOptions, whichDaemon } from './daemon-options.js';

interface Options extends DaemonOptions {
  readonly off?: boolean;
  readonly format: Format;
}

/** `slipway pulls bypass`: the way out when the limiter itself is in doubt. */
export function bypass({ terminal }: Invocation): Command {
  return whichDaemon(
    newCommand('bypass', 'Forward all calls unread and without a limit, also after a restart of the limiter', [
      'slipway pulls bypass',
      'slipway pulls bypass --off',
    ]),
  )
    .option('--off', 'limit again')
    .addOption(outcomeOption())
    .action(async ({ off = false, format, ...which }: Options) => {
      const admin = which.admin ?? adminOf(which.listen);
      const isRunning = await tell(admin, !off);
      if (!isRunning) note(bypassFileOf(admin), !off);
      const when = isRunning ? '' : ' from the next start of the limiter on, which does not run now';
      const text = off ? `Pulls are limited again${when}.\n` : `Everything passes as it is${when}.\n`;
      terminal.out(renderOutcome(format, text, { bypassed: !off, running: isRunning }));
    });
}

/** Whether there was a daemon to tell. */
async function tell(admin: string, on: boolean): Promise<boolean> {
  try {
    await adminClient(admin).bypass(on);
    return true;
  } catch (error) {
    if (error instanceof DaemonAwayError) return false;
    throw error;
  }
}

/** The limiter reads at its start whether this file is there. */
function note(path: string, on: boolean): void {
  try {
    if (on) writeFileSync(path, '', { mode: 0o600 });
    else if (existsSync(path)) rmSync(path);
  } catch (cause) {
    throw new CommandError(exit.usage, `${path} cannot be written`, 'name the socket of the limiter with --listen', {
      cause,
    });
  }
}
