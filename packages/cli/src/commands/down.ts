import type { Command } from 'commander';
import { type Invocation, newCommand } from '../runtime/command.js';
import { whichCluster } from './local/cluster-flags.js';
import { ask, runningCluster, type WhichCluster } from './local/find-cluster.js';

/** `slipway down`. */
export function command({ terminal }: Invocation): Command {
  return whichCluster(
    newCommand('down', 'Stop a local cluster; its data stays for the next up', [
      'slipway down',
      'slipway down --name try-1',
    ]),
  ).action(async (which: WhichCluster) => {
    const holder = runningCluster(which);
    await ask(holder, 'stop');
    terminal.out(`Stopped cluster "${holder.name}" (pid ${holder.pid}).\n`);
  });
}
