import { createHash } from 'node:crypto';
import {
  hasReason,
  type Kube,
  type Logger,
  microTimestamp,
  type ResourceRef,
  type Runnable,
  sleep,
} from '@slipway/kube';
import { group } from '../api/group.js';
import { Lease } from './watch-rosters.js';

/** Where feature servers say that they live. */
export const serverNamespace = 'slipway-system';

const Namespace: ResourceRef = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };

const durationSeconds = 15;
const renewEveryMs = 5_000;

export interface IdentityLeaseDeps {
  readonly kube: Kube;
  readonly log: Logger;
  /** Name of this server among its peers, for example its host name. */
  readonly identity: string;
  /** New for each start. */
  readonly incarnation: string;
}

/** Renews a lease that says: this feature server lives. It is deleted when the server stops. */
export function identityLease({ kube, log, identity, incarnation }: IdentityLeaseDeps): Runnable {
  const leases = kube.resource(Lease);
  const name = `slipway-server-${createHash('sha256').update(identity).digest('hex').slice(0, 8)}`;
  const ref = { name, namespace: serverNamespace };
  const holderIdentity = `${identity}_${incarnation}`;
  const renew = async (signal: AbortSignal) => {
    const spec = { holderIdentity, leaseDurationSeconds: durationSeconds, renewTime: microTimestamp(kube.clock.now()) };
    try {
      await leases.merge(ref, { spec }, { signal });
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
      await ensureNamespace(kube, signal);
      const metadata = { ...ref, labels: { [`${group}/component`]: 'feature-server' } };
      await leases.create({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec }, { signal });
    }
  };
  return {
    name: 'identity-lease',
    async start(signal) {
      let isFailing = false;
      while (!signal.aborted) {
        try {
          await renew(signal);
          isFailing = false;
        } catch (error) {
          if (signal.aborted) return;
          if (!isFailing) log.warn('the identity lease could not be renewed, trying again', { error });
          isFailing = true;
        }
        await sleep(kube.clock, renewEveryMs, signal).catch(() => {});
      }
    },
    stop: () => leases.delete(ref).catch(() => {}),
  };
}

async function ensureNamespace(kube: Kube, signal: AbortSignal): Promise<void> {
  try {
    const metadata = { name: serverNamespace };
    await kube.resource(Namespace).create({ apiVersion: 'v1', kind: 'Namespace', metadata }, { signal });
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
  }
}
