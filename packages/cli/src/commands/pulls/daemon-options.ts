import {
  type AdminClient,
  adminClient,
  adminOf,
  DaemonAwayError,
  DaemonRefusedError,
  defaultPullsSettings,
} from '@slipway/image-pulls';
import type { Command } from 'commander';
import { CommandError, exit } from '../../runtime/exit.js';

/** Which limiter of this machine is meant. */
export interface DaemonOptions {
  readonly listen: string;
  readonly admin?: string;
}

/** Adds the options that name a running limiter. */
export function whichDaemon(command: Command): Command {
  return command
    .option('--listen <socket>', 'socket at which the limiter serves the kubelet', defaultPullsSettings.listen)
    .option('--admin <socket>', 'its admin socket, if that is at another path');
}

/**
 * Asks a running limiter.
 * @throws CommandError when it is away or refuses.
 */
export async function askDaemon<T>(which: DaemonOptions, ask: (daemon: AdminClient) => Promise<T>): Promise<T> {
  try {
    return await ask(adminClient(which.admin ?? adminOf(which.listen)));
  } catch (error) {
    if (error instanceof DaemonRefusedError) throw new CommandError(exit.usage, error.message);
    if (!(error instanceof DaemonAwayError)) throw error;
    const hint = 'start one with slipway pulls serve, or name its socket with --listen';
    throw new CommandError(exit.cluster, error.message, hint, { cause: error });
  }
}
