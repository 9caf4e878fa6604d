import { hasReason, type Kube, type Logger, type ResourceRef, type Runnable, sleep } from '@slipway/kube';
import { Lease } from '../uses/watch-rosters.js';
import type { Fence } from './fence.js';
import type { ServerIdentity } from './leader.js';
import type { AbandonedLease } from './leadership.js';
import { leaseRefOf, releaseLease, renewLease } from './server-lease.js';

const Namespace: ResourceRef = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };

const renewEveryMs = 5_000;
/** A renewal without an answer by then is sent anew. */
const giveUpAfterMs = 4_000;

export interface IdentityLeaseDeps {
  /** Not behind the fence: the renewal is what takes it down. */
  readonly kube: Kube;
  readonly log: Logger;
  /** Name of this server among its peers, for example its host name. */
  readonly name: string;
  /** Namespace of the leases. */
  readonly namespace: string;
  readonly server: ServerIdentity;
  readonly fence: Fence;
  /** Leases to delete. */
  readonly abandoned: () => readonly AbandonedLease[];
}

export interface IdentityLease extends Runnable {
  /** Tells the others that this server is gone, once nothing of it is under way any more. */
  release(): Promise<void>;
}

/** Renews a lease that says: this feature server lives. */
export function identityLease(deps: IdentityLeaseDeps): IdentityLease {
  const { kube, log, name, namespace, server, fence, abandoned } = deps;
  const ref = leaseRefOf(name, namespace);
  const renew = async (signal: AbortSignal) => {
    const sentMs = kube.clock.monotonicMs();
    try {
      await renewLease(kube, ref, server, signal);
    } catch (error) {
      if (!hasReason(error, 'NotFound')) throw error;
      await ensureNamespace(kube, namespace, signal);
      await renewLease(kube, ref, server, signal);
    }
    fence.renewed(sentMs);
    for (const lease of abandoned()) await clearAway(kube, namespace, lease, signal);
  };
  return {
    name: 'identity-lease',
    async start(signal) {
      let isFailing = false;
      while (!signal.aborted) {
        try {
          await withinLimit(kube, renew, signal);
          isFailing = false;
        } catch (error) {
          if (signal.aborted) return;
          if (!isFailing) log.warn('the identity lease could not be renewed, trying again', { error });
          isFailing = true;
        }
        await sleep(kube.clock, isFailing ? renewEveryMs / 5 : renewEveryMs, signal).catch(() => {});
      }
    },
    async release() {
      fence.close();
      try {
        await releaseLease(kube, ref, server);
      } catch (error) {
        log.warn('the identity lease was left to expire', { error });
      }
    },
  };
}

/** Deletes a lease unless its server has returned, or another server deleted it first. */
async function clearAway(
  kube: Kube,
  namespace: string,
  { name, resourceVersion }: AbandonedLease,
  signal: AbortSignal,
): Promise<void> {
  try {
    const preconditions = { resourceVersion };
    await kube.resource(Lease).delete({ namespace, name }, { preconditions, signal });
  } catch (error) {
    if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) throw error;
  }
}

async function withinLimit(
  { clock }: Kube,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const limit = new AbortController();
  const timer = clock.after(giveUpAfterMs, () => limit.abort(new Error('no answer came in time')));
  const stop = () => limit.abort(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await work(limit.signal);
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', stop);
  }
}

async function ensureNamespace(kube: Kube, name: string, signal: AbortSignal): Promise<void> {
  try {
    await kube.resource(Namespace).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { signal });
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
  }
}
