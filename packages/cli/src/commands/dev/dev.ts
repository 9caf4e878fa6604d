import type { RestartedComponent } from '@slipway/devcluster';
import type { Command } from 'commander';
import { type GateValues, gateValues, whichCluster } from '../../local-cluster/cluster-flags.js';
import { ask, runningCluster, type WhichCluster } from '../../local-cluster/find-cluster.js';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { assetsCommand } from './assets.js';
import { dataCommand } from './data.js';
import { nodeCommand } from './node.js';
import { serverCommand } from './server.js';

/** `slipway dev`: what concerns only the simulated cluster. */
export function command(invocation: Invocation): Command {
  const component = newCommand('component', 'Control one component').addCommand(restart(invocation));
  return newCommand('dev', 'Control the local cluster, and write programs for tests')
    .addCommand(component)
    .addCommand(nodeCommand(invocation))
    .addCommand(serverCommand(invocation))
    .addCommand(dataCommand(invocation))
    .addCommand(assetsCommand(invocation));
}

interface RestartOptions extends WhichCluster {
  readonly gates?: GateValues;
  readonly format: Format;
}

function restart({ terminal }: Invocation): Command {
  return whichCluster(
    newCommand('restart', 'Restart a component without its pinned gates, or with others', [
      'slipway dev component restart kube-controller-manager',
      'slipway dev component restart kube-apiserver --gates MaxUnavailableStatefulSet=false',
    ]),
  )
    .argument('<component>', 'kube-apiserver, kube-controller-manager, kube-scheduler or kubelet')
    .option('--gates <gates>', 'pin gates: GATE=true[,GATE=false]', gateValues)
    .addOption(outcomeOption())
    .action(async (component: string, { gates = {}, format, ...which }: RestartOptions) => {
      const asked = { component, gates };
      const restarted = (await ask(await runningCluster(which), 'restart', asked)) as readonly RestartedComponent[];
      const pinned = Object.entries(gates).map(([gate, value]) => `${gate}=${value}`);
      const text = `Restarted ${component}${pinned.length > 0 ? ` with ${pinned.join(', ')}` : ', without pins'}.\n`;
      terminal.out(renderOutcome(format, text, restarted));
    });
}
