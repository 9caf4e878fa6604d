import { parseQuantity } from '@slipway/kube';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Invocation, newCommand } from '../runtime/command.js';
import { type ComponentGates, clusterName, componentGates, defaultName, wholeNumber } from './local/cluster-flags.js';

/** What was typed after `slipway up`, with defaults filled in. */
export interface UpOptions {
  readonly name: string;
  readonly dataDir?: string;
  readonly nodes: number;
  readonly nodeCpu: string;
  readonly nodeMemory: string;
  readonly port: number;
  readonly ephemeral?: boolean;
  readonly kubeconfig?: string;
  readonly componentGates: readonly ComponentGates[];
  readonly format: 'text' | 'json';
}

/** `slipway up`. */
export function command(invocation: Invocation): Command {
  return newCommand('up', 'Start a local Kubernetes cluster and keep it running until Ctrl-C', [
    'slipway up',
    'slipway up --ephemeral --nodes 5 --node-cpu 16 --node-memory 64Gi',
    'slipway up --component-gates kube-controller-manager:MaxUnavailableStatefulSet=true',
    'slipway up --ephemeral --port 0 --kubeconfig ./kubeconfig -o json',
  ])
    .option('--name <name>', 'name of the cluster', clusterName, defaultName)
    .option('--data-dir <path>', 'folder of its data instead of the one of its name')
    .option('--nodes <n>', 'how many simulated nodes', wholeNumber(1, 1_500), 3)
    .option('--node-cpu <quantity>', 'cpu of each node', quantity('4'), '4')
    .option('--node-memory <quantity>', 'memory of each node', quantity('8Gi'), '8Gi')
    .option('--port <n>', 'port of the API server on 127.0.0.1; 0 takes a free one', wholeNumber(0, 65_535), 6443)
    .option('--ephemeral', 'keep everything in memory and forget it at the end')
    .option('--kubeconfig <path>', 'write the kubeconfig there, and nowhere else')
    .addOption(
      new Option('--component-gates <component:gates>', 'pin gates of one component; may be repeated')
        .argParser(componentGates)
        .default([], 'none'),
    )
    .addOption(
      new Option('-o, --format <format>', 'what to print when the API answers')
        .choices(['text', 'json'])
        .default('text'),
    )
    .action(async (options: UpOptions) => {
      const { runCluster } = await import('./local/run-cluster.js');
      await runCluster(options, invocation);
    });
}

/** Keeps the text, once it is known to be a positive Kubernetes quantity. */
function quantity(example: string): (text: string) => string {
  return (text) => {
    try {
      if (parseQuantity(text).nano > 0n) return text;
    } catch {
      throw new InvalidArgumentError(`"${text}" is not a Kubernetes quantity (try ${example})`);
    }
    throw new InvalidArgumentError(`"${text}" is not more than zero (try ${example})`);
  };
}
