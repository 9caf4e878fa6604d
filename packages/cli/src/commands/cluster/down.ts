import type { Command } from 'commander';
import { whichCluster } from '../../local-cluster/cluster-flags.js';
import { ask, runningCluster, type WhichCluster } from '../../local-cluster/find-cluster.js';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';

/** `slipway down`. */
export function command({ terminal }: Invocation): Command {
  return whichCluster(
    newCommand('down', 'Stop a local cluster; its data stays for the next up', [
      'slipway down',
      'slipway down --name try-1',
    ]),
  )
    .addOption(outcomeOption())
    .action(async ({ format, ...which }: WhichCluster & { format: Format }) => {
      const holder = await runningCluster(which);
      await ask(holder, 'stop');
      const { name, pid, since } = holder;
      terminal.out(renderOutcome(format, `Stopped cluster "${name}" (pid ${pid}).\n`, { name, pid, since }));
    });
}
