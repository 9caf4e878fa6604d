import type { Command } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { gateValues, whichCluster } from '../local/cluster-flags.js';
import { ask, runningCluster, type WhichCluster } from '../local/find-cluster.js';
import { nodeCommand } from './node.js';

/** `slipway dev`: what concerns only the simulated cluster. */
export function command(invocation: Invocation): Command {
  const component = newCommand('component', 'Play with single components').addCommand(restart(invocation));
  return newCommand('dev', 'Play with the local cluster itself')
    .addCommand(component)
    .addCommand(nodeCommand(invocation));
}

function restart({ terminal }: Invocation): Command {
  return whichCluster(
    newCommand('restart', 'Restart a component without the gates it was pinned to, or with others', [
      'slipway dev component restart kube-controller-manager',
      'slipway dev component restart kube-apiserver --gates MaxUnavailableStatefulSet=false',
    ]),
  )
    .argument('<component>', 'kube-apiserver, kube-controller-manager, kube-scheduler or kubelet')
    .option('--gates <gates>', 'pin gates: GATE=true[,GATE=false]', gateValues)
    .action(async (component: string, { gates, ...which }: WhichCluster & { gates?: Record<string, boolean> }) => {
      await ask(runningCluster(which), 'restart', { component, gates: gates ?? {} });
      const pinned = Object.entries(gates ?? {}).map(([gate, value]) => `${gate}=${value}`);
      terminal.out(`Restarted ${component}${pinned.length > 0 ? ` with ${pinned.join(', ')}` : ', without pins'}.\n`);
    });
}
