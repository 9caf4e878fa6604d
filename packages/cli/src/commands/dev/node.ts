import type { NodeAction } from '@slipway/devcluster';
import type { Command } from 'commander';
import { quantity, whichCluster } from '../../local-cluster/cluster-flags.js';
import { ask, runningCluster, type WhichCluster } from '../../local-cluster/find-cluster.js';
import type { Format } from '../../output/format.js';
import { outcomeOption, renderOutcome } from '../../output/outcome.js';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { CommandError, exit } from '../../runtime/exit.js';

/** What one action says of a node once it is done. */
interface Done {
  /** How the node is then. */
  readonly state: 'Stopped' | 'CutOff' | 'Running';
  readonly text: (node: string) => string;
}

const soon = 'The cluster notices in about 40 s.';

const actions: Readonly<Record<Exclude<NodeAction, 'resize'>, Done & { summary: string; examples: string[] }>> = {
  stop: {
    summary: 'Stop the kubelet of a node: the node becomes NotReady, its pods stay as they are',
    examples: ['slipway dev node stop n1', 'kubectl get nodes -w'],
    state: 'Stopped',
    text: (node) => `Stopped the kubelet of ${node}. ${soon}`,
  },
  partition: {
    summary: 'Disconnect a node from the API server: its pods keep running unseen',
    examples: ['slipway dev node partition n1'],
    state: 'CutOff',
    text: (node) => `Cut ${node} off from the API server. ${soon}`,
  },
  start: {
    summary: 'Start or reconnect a node that was stopped or disconnected',
    examples: ['slipway dev node start n1'],
    state: 'Running',
    text: (node) => `${node} is back.`,
  },
};

/** `slipway dev node`: what can happen to single nodes. */
export function nodeCommand(invocation: Invocation): Command {
  return newCommand('node', 'Stop, disconnect, restart and resize nodes')
    .addCommand(action(invocation, 'stop'))
    .addCommand(action(invocation, 'partition'))
    .addCommand(action(invocation, 'start'))
    .addCommand(resize(invocation));
}

function action({ terminal }: Invocation, verb: keyof typeof actions): Command {
  const { summary, examples, state, text } = actions[verb];
  return onNode(newCommand(verb, summary, examples)).action(async (node: string, options: Options) => {
    const { format, ...which } = options;
    await ask(await runningCluster(which), 'node', { action: verb, node });
    terminal.out(renderOutcome(format, `${text(node)}\n`, { node, state }));
  });
}

interface Options extends WhichCluster {
  readonly format: Format;
}

function resize({ terminal }: Invocation): Command {
  const command = newCommand('resize', 'Add cpus or memory to a running node, or remove them', [
    'slipway dev node resize n1 --cpu 8 --memory 32Gi',
  ]);
  return onNode(command)
    .option('--cpu <quantity>', 'new cpu of the node', quantity('8'))
    .option('--memory <quantity>', 'new memory of the node', quantity('32Gi'))
    .action(async (node: string, options: Options & { readonly cpu?: string; readonly memory?: string }) => {
      const { format, cpu, memory, ...which } = options;
      const capacity = { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) };
      const amounts = Object.entries(capacity).map(([resource, amount]) => `${amount} ${resource}`);
      if (amounts.length === 0)
        throw new CommandError(exit.usage, 'no amount is named', 'add --cpu 8 or --memory 32Gi');
      await ask(await runningCluster(which), 'node', { action: 'resize', node, capacity });
      terminal.out(renderOutcome(format, `${node} has ${amounts.join(' and ')} now.\n`, { node, capacity }));
    });
}

function onNode(command: Command): Command {
  return whichCluster(command)
    .argument('<node>', 'name of the node, as kubectl get nodes shows it')
    .addOption(outcomeOption());
}
