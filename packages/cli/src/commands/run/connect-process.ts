import { type Access, findAccess, httpsTransport, Kube, KubeconfigError, systemClock } from '@slipway/kube';
import type { ClusterOptions } from '../../runtime/connect.js';
import { CommandError, exit } from '../../runtime/exit.js';

/** A cluster, and how it is reached: for who also talks to parts of it. */
export interface Connected {
  readonly kube: Kube;
  readonly access: Access;
}

/**
 * Connects a process that works by itself: by a kubeconfig, or in a pod as its service account. It may send more than a
 * command does.
 * @throws CommandError (usage) when there is nothing to connect to
 */
export async function connectProcess({ kubeconfig, context }: ClusterOptions, userAgent: string): Promise<Connected> {
  try {
    const access = await findAccess({
      ...(kubeconfig !== undefined && { kubeconfig }),
      ...(context !== undefined && { context }),
    });
    const transport = httpsTransport(access, { clock: systemClock, userAgent });
    return { access, kube: new Kube(transport, { fieldManager: userAgent, qps: 100, burst: 200 }) };
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    const hint = error.hint ?? 'name a kubeconfig with --kubeconfig; in a pod its service account is used';
    throw new CommandError(exit.usage, error.message, hint, { cause: error });
  }
}
