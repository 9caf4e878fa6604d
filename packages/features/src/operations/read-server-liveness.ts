import { type Kube, pathOf } from '@slipway/kube';
import type { Feature } from '../api/feature.js';
import { serverNamespace } from '../api/group.js';
import { serverLeaseSelector } from '../leadership/server-lease.js';
import { type ServerLiveness, serverLiveness } from '../leadership/server-liveness.js';
import { Lease, type LeaseObject } from '../uses/watch-rosters.js';

/**
 * Reads the leases of feature servers and decides, with the Features that the caller has, whether a server acts on
 * Features. Where leases cannot be read, it is decided from the Features alone.
 */
export async function readServerLiveness(
  kube: Kube,
  features: readonly Feature[],
  signal?: AbortSignal,
): Promise<ServerLiveness> {
  const read = (namespace?: string) => {
    const path = `${pathOf(Lease, namespace)}?labelSelector=${encodeURIComponent(serverLeaseSelector)}`;
    return kube.transport.request({ method: 'GET', path, signal });
  };
  // An installation may have named another namespace, and not everybody may read leases in all of them.
  const everywhere = await read();
  const { status, headers, body } = everywhere.status === 200 ? everywhere : await read(serverNamespace);
  const leases = status === 200 ? (body as { readonly items: readonly LeaseObject[] }).items : undefined;
  const servedMs = Date.parse(headers.date ?? '');
  return serverLiveness({ leases, features, nowMs: Number.isNaN(servedMs) ? kube.clock.now() : servedMs });
}
