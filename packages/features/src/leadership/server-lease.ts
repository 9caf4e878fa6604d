import { createHash } from 'node:crypto';
import { hasReason, type Kube, microTimestamp, slipwayLabels } from '@slipway/kube';
import { group } from '../api/group.js';
import { Lease, type LeaseObject } from '../uses/watch-rosters.js';
import type { ServerIdentity } from './leader.js';

const labels = { ...slipwayLabels('features'), [`${group}/component`]: 'feature-server' };
const annotations = {
  version: `${group}/version`,
  catalogue: `${group}/catalogue`,
  known: `${group}/known`,
};

/** Selects the leases of feature servers, in any namespace. */
export const serverLeaseSelector = `${group}/component=feature-server`;

const durationSeconds = 15;
/** A server whose lease was not renewed for this long is dead. */
export const deadAfterMs = 20_000;

/** Returns the reference of a server's lease, which is the same after a restart. */
export function leaseRefOf(name: string, namespace: string): { readonly namespace: string; readonly name: string } {
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return { namespace, name: `slipway-server-${hash}` };
}

/** Writes that the server lives, now. @throws StatusError NotFound when the namespace is not there. */
export async function renewLease(
  kube: Kube,
  ref: { readonly namespace: string; readonly name: string },
  server: ServerIdentity,
  signal: AbortSignal,
): Promise<void> {
  const said = {
    [annotations.version]: server.version,
    [annotations.catalogue]: server.catalogue,
    [annotations.known]: server.known,
  };
  const renewTime = microTimestamp(kube.clock.now());
  const spec = { holderIdentity: server.holder, leaseDurationSeconds: durationSeconds, renewTime };
  const leases = kube.resource(Lease);
  try {
    await leases.merge(ref, { metadata: { labels, annotations: said }, spec }, { signal });
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
    const metadata = { ...ref, labels, annotations: said };
    await leases.create({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }, { signal });
  }
}

/**
 * Writes that the server has stopped. The lease stays, without a holder, so that people are told since when no server
 * runs; servers that live delete it. @throws StatusError Conflict when another server of that name holds it by now.
 */
export async function releaseLease(
  kube: Kube,
  ref: { readonly namespace: string; readonly name: string },
  server: ServerIdentity,
): Promise<void> {
  const leases = kube.resource(Lease);
  const lease = await leases.find(ref);
  if (lease?.spec.holderIdentity !== server.holder) return;
  const { resourceVersion = '' } = lease.metadata;
  const spec = { holderIdentity: null, renewTime: microTimestamp(kube.clock.now()) };
  await leases.merge(ref, { metadata: { resourceVersion }, spec });
}

/**
 * Reads who renews a lease; the holder is empty when the server has stopped. A server that does not report its
 * version is older than all that do.
 */
export function serverOf({ metadata, spec }: LeaseObject): ServerIdentity {
  const said = metadata.annotations ?? {};
  return {
    holder: spec.holderIdentity ?? '',
    version: said[annotations.version] ?? '0',
    catalogue: said[annotations.catalogue] ?? '0',
    known: said[annotations.known] ?? '',
  };
}
