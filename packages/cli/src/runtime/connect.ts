import { type Access, findAccess, Kube, KubeconfigError, type KubeOptions } from '@slipway/kube';
import { type ClusterOptions, withCluster } from './cluster-options.js';
import { CommandError, exit } from './exit.js';

export { type ClusterOptions, withCluster };

/** Connects as the options say. @throws CommandError (usage) when the kubeconfig cannot be used. */
export async function connect(which: ClusterOptions, limits: Pick<KubeOptions, 'qps' | 'burst'> = {}): Promise<Kube> {
  return await usable(Kube.connect({ ...limits, ...said(which) }));
}

/**
 * Finds how a cluster is reached.
 * @param hint what to do when nothing says how
 * @throws CommandError (usage) when the kubeconfig cannot be used
 */
export async function accessTo(which: ClusterOptions, hint?: string): Promise<Access> {
  return await usable(findAccess(said(which)), hint);
}

function said({ kubeconfig, context }: ClusterOptions): ClusterOptions {
  return { ...(kubeconfig !== undefined && { kubeconfig }), ...(context !== undefined && { context }) };
}

async function usable<T>(reached: Promise<T>, hint = 'slipway up, or name a kubeconfig with --kubeconfig'): Promise<T> {
  try {
    return await reached;
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    throw new CommandError(exit.usage, error.message, error.hint ?? hint, { cause: error });
  }
}
