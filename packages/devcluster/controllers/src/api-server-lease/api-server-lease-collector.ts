import { hasReason, type Kube, type Lease, type Logger, leases, type Runnable, type Timer } from '@slipway/kube';

const lookMs = 5 * 60_000;
const ofApiServers = { namespace: 'kube-system', labelSelector: 'apiserver.kubernetes.io/identity=kube-apiserver' };

/** The last observed change of a lease, by the monotonic time of this process. */
interface ObservedLease {
  readonly renewTime: string | undefined;
  readonly sinceMs: number;
}

/**
 * Removes identity leases of API servers that are gone for good: those that were not renewed for as long as they
 * last (an hour), seen by this process. What clocks say plays no part, so none that can be set takes a lease away.
 */
export function apiServerLeaseCollector({ kube, log }: { readonly kube: Kube; readonly log: Logger }): Runnable {
  const client = kube.resource(leases);
  let seen = new Map<string, ObservedLease>();
  let timer: Timer | undefined;

  async function look(signal: AbortSignal): Promise<void> {
    const nowMs = kube.clock.monotonicMs();
    const { items } = await client.list({ ...ofApiServers, signal });
    const before = seen;
    seen = new Map(items.map((lease) => [lease.metadata.name ?? '', noted(before, lease, nowMs)]));
    for (const lease of items) {
      const silentMs = nowMs - (seen.get(lease.metadata.name ?? '')?.sinceMs ?? nowMs);
      if (silentMs >= (lease.spec.leaseDurationSeconds ?? 0) * 1_000) await remove(lease, signal);
    }
  }

  async function remove({ metadata }: Lease, signal: AbortSignal): Promise<void> {
    const { name = '', namespace, uid = '', resourceVersion = '' } = metadata;
    try {
      await client.delete({ name, namespace }, { preconditions: { uid, resourceVersion }, signal });
    } catch (error) {
      // Its holder renewed it after all, or another client deleted it first.
      if (!hasReason(error, 'Conflict') && !hasReason(error, 'NotFound')) throw error;
    }
  }

  const lookAgain = (signal: AbortSignal) => {
    timer = kube.clock.after(lookMs, () => {
      look(signal)
        .catch((error: unknown) => signal.aborted || log.warn('leases of API servers were not looked at', { error }))
        .finally(() => signal.aborted || lookAgain(signal));
    });
  };
  return {
    name: 'api-server-lease-collector',
    start: lookAgain,
    stop: () => timer?.cancel(),
  };
}

function noted(before: ReadonlyMap<string, ObservedLease>, { metadata, spec }: Lease, nowMs: number): ObservedLease {
  const known = before.get(metadata.name ?? '');
  return known && known.renewTime === spec.renewTime ? known : { renewTime: spec.renewTime, sinceMs: nowMs };
}
