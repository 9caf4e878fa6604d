import type { ConnectAs } from '@slipway/console';
import { findAccess, httpsTransport, Kube, type KubeOptions, systemClock } from '@slipway/kube';
import type { ClusterOptions } from './connect.js';

/**
 * Reaches the cluster of a kubeconfig as whoever a token belongs to. Nothing of the credentials of the kubeconfig is used.
 * @throws KubeconfigError
 */
export async function connectAs(
  { kubeconfig, context }: ClusterOptions,
  limits: Pick<KubeOptions, 'qps' | 'burst'>,
): Promise<ConnectAs> {
  const access = await findAccess({
    ...(kubeconfig !== undefined && { kubeconfig }),
    ...(context !== undefined && { context }),
  });
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
