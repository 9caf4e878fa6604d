import { Kube, KubeconfigError, type KubeOptions } from '@slipway/kube';
import type { Command } from 'commander';
import { CommandError, exit } from './exit.js';

/** Which cluster, as every command that talks to one takes it. */
export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** Adds `--kubeconfig` and `--context`. */
export function withCluster(command: Command): Command {
  return command
    .option('--kubeconfig <path>', 'kubeconfig to use instead of $KUBECONFIG or ~/.kube/config')
    .option('--context <name>', 'context of the kubeconfig to use instead of its current one');
}

/** Connects as the options say. @throws CommandError (usage) when the kubeconfig cannot be used. */
export async function connect(
  { kubeconfig, context }: ClusterOptions,
  limits: Pick<KubeOptions, 'qps' | 'burst'> = {},
): Promise<Kube> {
  try {
    return await Kube.connect({
      ...limits,
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(context !== undefined && { context }),
    });
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    const hint = error.hint ?? 'slipway up, or name a kubeconfig with --kubeconfig';
    throw new CommandError(exit.usage, error.message, hint, { cause: error });
  }
}
