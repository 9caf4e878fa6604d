import { builtPages, type ConnectAs, type Console, type LimiterAddress, startConsole } from '@slipway/console';
import { errorMessage, type Kube } from '@slipway/kube';
import { CommandError, exit } from '../runtime/exit.js';
import { limitersOf } from './console-limiters.js';

/** The port of the console when none is named. */
export const usualConsolePort = 7420;

/** A cluster to show, and what to say when a browser has signed in. */
interface Served {
  readonly kube: Kube | ConnectAs;
  readonly cluster: string;
  readonly limiters?: readonly LimiterAddress[];
  /** Checkout with proposals; by default the one that the process was started in. */
  readonly proposalsIn?: string | undefined;
  readonly onSignIn?: (next: string) => void;
  /** Whether browsers are what the process is for. */
  readonly preload?: boolean;
}

/**
 * Serves the console on a port; without one on the usual one, or a free one if that is in use.
 * @throws CommandError (usage) when the port that was named cannot be listened on, or the checkout cannot be read
 */
export async function serveConsole(served: Served, port: number | undefined): Promise<Console> {
  const { proposalsIn: root, ...shown } = served;
  const openProposals = async () => {
    const { openRepository } = await import('../commands/kep/open-repository.js');
    return openRepository({ ...(root !== undefined && { root }) });
  };
  if (root !== undefined) await openProposals();
  const options = { limiters: limitersOf(), openProposals, ...shown, pages: builtPages() };
  try {
    return await startConsole({ ...options, port: port ?? usualConsolePort });
  } catch (error) {
    if (port === undefined) return await startConsole({ ...options, port: 0 });
    const message = `cannot serve the console at 127.0.0.1:${port}: ${errorMessage(error)}`;
    throw new CommandError(exit.usage, message, 'name another --port, or 0 for any', { cause: error });
  }
}
