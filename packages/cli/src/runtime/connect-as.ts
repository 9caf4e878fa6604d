import type { ConnectAs } from '@slipway/console';
import { httpsTransport, Kube, type KubeOptions, systemClock } from '@slipway/kube';
import { accessTo, type ClusterOptions } from './connect.js';

/**
 * Reaches the cluster of a kubeconfig as whoever a token belongs to. Nothing of the credentials of the kubeconfig is used.
 * @throws CommandError (usage) when the kubeconfig cannot be used
 */
export async function connectAs(which: ClusterOptions, limits: Pick<KubeOptions, 'qps' | 'burst'>): Promise<ConnectAs> {
  const access = await accessTo(which);
  return async (token) => {
    const credentials = async () => {
      const { ca, servername, insecure, proxy } = await access.credentials();
      return {
        ...(ca !== undefined && { ca }),
        ...(servername !== undefined && { servername }),
        ...(insecure !== undefined && { insecure }),
        ...(proxy !== undefined && { proxy }),
        headers: { authorization: `Bearer ${token}` },
      };
    };
    return new Kube(httpsTransport({ server: access.server, credentials }, { clock: systemClock }), limits);
  };
}
