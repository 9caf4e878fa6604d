import { Kube, KubeconfigError, type KubeOptions } from '@slipway/kube';
import { type ClusterOptions, withCluster } from './cluster-options.js';
import { CommandError, exit } from './exit.js';

export { type ClusterOptions, withCluster };

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
