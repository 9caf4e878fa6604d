import type { Kube } from '../client/client.js';
import type { Timer } from '../clock/clock.js';
import { microTimestamp } from '../clock/timestamp.js';
import type { Runnable } from '../controller/manager.js';
import type { Logger } from '../log/logger.js';
import type { ObjectMeta } from '../transport/objects.js';
import { hasReason } from '../transport/status.js';
import { type Lease, leases } from './leases.js';

/** A lease that says "this process lives" by being renewed. */
export interface LeaseSpec {
  readonly metadata: ObjectMeta;
  readonly holderIdentity: string;
  readonly durationSeconds: number;
}

const renewMs = 10_000;

/**
 * The lease by which a component elects its leader. There is one of each here, so it leads from the beginning; others
 * see who it is and whether it lives. `identity` is as leaders call themselves: name of the host, `_`, and
 * something new for every start. Renewed every 10 s, not every 2 s as upstream.
 */
export function leaderLease(kube: Kube, log: Logger, component: string, identity: string): Runnable {
  const metadata = { name: component, namespace: 'kube-system' };
  return renewedLease(kube, log, { metadata, holderIdentity: identity, durationSeconds: 15 });
}

/** Renews a lease every 10 s. The lease outlives it: that it is no longer renewed is what shows the end. */
export function renewedLease(kube: Kube, log: Logger, spec: LeaseSpec): Runnable {
  const keeper = new LeaseKeeper(kube, spec);
  let timer: Timer | undefined;
  let beating: Promise<void> = Promise.resolve();
  const beat = async (signal: AbortSignal) => {
    try {
      await keeper.renew(signal);
    } catch (error) {
      if (!signal.aborted) log.warn('a lease was not renewed', { lease: spec.metadata.name, error });
    }
    if (signal.aborted) return;
    timer = kube.clock.after(renewMs, () => {
      beating = beat(signal);
    });
  };
  return {
    name: `lease ${spec.metadata.name}`,
    start(signal) {
      beating = beat(signal);
      return beating;
    },
    async stop() {
      timer?.cancel();
      await beating;
    },
  };
}

/**
 * Renews a lease, making it if it is not there. Remembers the last answer, so a
 * renewal is one write; when another writer updated it in between, the next call reads it anew.
 */
export class LeaseKeeper {
  readonly #kube: Kube;
  readonly #spec: LeaseSpec;
  #last: Lease | undefined;

  constructor(kube: Kube, spec: LeaseSpec) {
    this.#kube = kube;
    this.#spec = spec;
  }

  /** @throws StatusError, UnreachableError: this renewal did not happen, try again at the next beat. */
  async renew(signal?: AbortSignal): Promise<void> {
    const client = this.#kube.resource(leases);
    const { metadata, holderIdentity, durationSeconds } = this.#spec;
    const ref = { name: metadata.name ?? '', namespace: metadata.namespace };
    const known = this.#last ?? (await client.find(ref, signal));
    this.#last = undefined;
    const renewTime = microTimestamp(this.#kube.clock.now());
    try {
      this.#last = known
        ? await client.replace(this.#renewed(known, renewTime), { signal })
        : await client.create(
            {
              apiVersion: 'coordination.k8s.io/v1',
              kind: 'Lease',
              metadata,
              spec: { holderIdentity, leaseDurationSeconds: durationSeconds, renewTime },
            },
            { signal },
          );
    } catch (error) {
      const isOvertaken =
        hasReason(error, 'Conflict') || hasReason(error, 'NotFound') || hasReason(error, 'AlreadyExists');
      if (!isOvertaken || !known) throw error;
      await this.renew(signal);
    }
  }

  #renewed(known: Lease, renewTime: string): Lease {
    const { metadata, holderIdentity, durationSeconds } = this.#spec;
    const labels = metadata.labels && { labels: { ...known.metadata.labels, ...metadata.labels } };
    const owners = metadata.ownerReferences && { ownerReferences: metadata.ownerReferences };
    return {
      ...known,
      metadata: { ...known.metadata, ...labels, ...owners },
      spec: { ...known.spec, holderIdentity, leaseDurationSeconds: durationSeconds, renewTime },
    };
  }
}
