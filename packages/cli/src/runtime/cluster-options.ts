import type { Command } from 'commander';

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
