import { type Access, httpsTransport, Kube, systemClock } from '@slipway/kube';
import { accessTo, type ClusterOptions } from '../../runtime/connect.js';

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
export async function connectProcess(which: ClusterOptions, userAgent: string): Promise<Connected> {
  const access = await accessTo(which, 'name a kubeconfig with --kubeconfig; in a pod its service account is used');
  const transport = httpsTransport(access, { clock: systemClock, userAgent });
  return { access, kube: new Kube(transport, { fieldManager: userAgent, qps: 100, burst: 200 }) };
}
