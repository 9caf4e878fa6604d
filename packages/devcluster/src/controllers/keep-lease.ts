import { hasReason, type Kube, microTimestamp, type ObjectMeta } from '@slipway/kube';
import { type Lease, leases } from './api/leases.js';

/** A lease that says "this process lives" by being renewed. */
export interface LeaseSpec {
  readonly metadata: ObjectMeta;
  readonly holderIdentity: string;
  readonly durationSeconds: number;
}

/**
 * Renews a lease, making it if it is not there. Remembers the last answer, so a
 * renewal is one write; when somebody else wrote in between, the next call reads it anew.
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
