import type { NodeAction } from '@slipway/devcluster';
import type { Command } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { whichCluster } from '../local/cluster-flags.js';
import { ask, runningCluster, type WhichCluster } from '../local/find-cluster.js';

/** `slipway dev node`: what can happen to single nodes. */
export function nodeCommand(invocation: Invocation): Command {
  return newCommand('node', 'Let a node fail and come back')
    .addCommand(
      action(
        invocation,
        'stop',
        'Stop the kubelet of a node: nobody says that it is there, its pods stay as they are',
        {
          examples: ['slipway dev node stop n1', 'kubectl get nodes -w'],
          done: (node) => `Stopped the kubelet of ${node}. The cluster notices in about 40 s.`,
        },
      ),
    )
    .addCommand(
      action(invocation, 'partition', 'Cut a node off from the API server: its pods run on and nobody hears of it', {
        examples: ['slipway dev node partition n1'],
        done: (node) => `Cut ${node} off from the API server. The cluster notices in about 40 s.`,
      }),
    )
    .addCommand(
      action(invocation, 'start', 'Bring a node back that was stopped or cut off', {
        examples: ['slipway dev node start n1'],
        done: (node) => `${node} is back.`,
      }),
    );
}

function action(
  { terminal }: Invocation,
  verb: NodeAction,
  summary: string,
  { examples, done }: { readonly examples: readonly string[]; readonly done: (node: string) => string },
): Command {
  return whichCluster(newCommand(verb, summary, examples))
    .argument('<node>', 'name of the node, as kubectl get nodes shows it')
    .action(async (node: string, which: WhichCluster) => {
      await ask(runningCluster(which), 'node', { action: verb, node });
      terminal.out(`${done(node)}\n`);
    });
}
