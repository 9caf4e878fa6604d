import type { Kube } from '../client/client.js';
import { sleep } from '../clock/clock.js';
import { microTimestamp } from '../clock/timestamp.js';
import type { Logger } from '../log/logger.js';
import { apiVersionOf } from '../transport/objects.js';
import { hasReason } from '../transport/status.js';
import { type Lease, leases } from './leases.js';

/** The lease that candidates compete for. */
export interface LeaderLease {
  readonly namespace: string;
  readonly name: string;
  /** Labels of the lease, given when it is created. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Name of this candidate, unique among all. */
  readonly identity: string;
}

/** The defaults of client-go: other candidates wait 15 s for a renewal, and the leader stops after 10 s without one. */
const leaseMs = 15_000;
const renewWithinMs = 10_000;
const retryMs = 2_000;

interface LeadDeps {
  readonly kube: Kube;
  readonly lease: LeaderLease;
  readonly log: Logger;
}

/**
 * Runs `work` while this process holds the lease, and again each time it acquires the lease anew, until `signal` aborts.
 * The signal of `work` aborts before another candidate can acquire the lease: time counts from before the last successful
 * renewal, on a monotonic clock.
 */
export async function lead(
  deps: LeadDeps,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const holder = new LeaseHolder(deps);
  while (!signal.aborted) {
    if (await holder.acquireOrRenew(signal)) await workWhileHeld(deps, holder, work, signal);
    else await sleep(deps.kube.clock, retryMs, signal).catch(() => {});
  }
}

async function workWhileHeld(
  { kube, log }: LeadDeps,
  holder: LeaseHolder,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const lost = new AbortController();
  const working = AbortSignal.any([signal, lost.signal]);
  const done = work(working).finally(() => lost.abort(new Error('the work ended')));
  let renewedAtMs = kube.clock.monotonicMs();
  while (!working.aborted) {
    await sleep(kube.clock, retryMs, working).catch(() => {});
    const requestedAtMs = kube.clock.monotonicMs();
    if (working.aborted) break;
    if (await holder.acquireOrRenew(working)) renewedAtMs = requestedAtMs;
    else if (holder.isHeldByOther || kube.clock.monotonicMs() - renewedAtMs >= renewWithinMs) {
      log.warn('another process leads now, or the lease could not be renewed in time');
      lost.abort(new Error('the lease was lost'));
    }
  }
  await done;
  if (signal.aborted) await holder.release();
}

class LeaseHolder {
  readonly #kube: Kube;
  readonly #lease: LeaderLease;
  readonly #log: Logger;
  #lastWarning = '';
  /** The record of another holder and when it was first seen: the clocks of other machines are not trusted. */
  #observed: { readonly record: string; readonly atMs: number } | undefined;
  /** As it was last written: a renewal is one request, unless another client wrote the lease meanwhile. */
  #held: Lease | undefined;
  isHeldByOther = false;

  constructor({ kube, lease, log }: LeadDeps) {
    this.#kube = kube;
    this.#lease = lease;
    this.#log = log;
  }

  /** Returns false when another candidate holds the lease, or the request failed. */
  async acquireOrRenew(signal: AbortSignal): Promise<boolean> {
    const held = this.#held;
    this.#held = undefined;
    try {
      const found = held ?? (await this.#leases.find(this.#lease, signal));
      if (!found) return await this.#create(signal);
      const { holderIdentity, leaseTransitions } = found.spec;
      this.isHeldByOther = Boolean(holderIdentity) && holderIdentity !== this.#lease.identity;
      if (this.isHeldByOther && !this.#hasExpired(found)) return false;
      this.#held = await this.#leases.replace({ ...found, spec: this.#record(leaseTransitions) }, { signal });
      this.isHeldByOther = false;
      this.#lastWarning = '';
      return true;
    } catch (error) {
      if (held && (hasReason(error, 'Conflict') || hasReason(error, 'NotFound')))
        return await this.acquireOrRenew(signal);
      if (hasReason(error, 'Conflict')) this.isHeldByOther = true;
      else if (!signal.aborted) this.#warnOnce(String(error));
      return false;
    }
  }

  #warnOnce(error: string): void {
    if (error !== this.#lastWarning) this.#log.warn('the lease could not be acquired or renewed', { error });
    this.#lastWarning = error;
  }

  /** Gives the lease up, so that the next candidate need not wait until it expires. */
  async release(): Promise<void> {
    try {
      const found = await this.#leases.get(this.#lease);
      if (found.spec.holderIdentity !== this.#lease.identity) return;
      await this.#leases.replace({ ...found, spec: { ...found.spec, holderIdentity: '' } });
    } catch {
      // The lease expires by itself.
    }
  }

  async #create(signal: AbortSignal): Promise<boolean> {
    const { namespace, name, labels } = this.#lease;
    const metadata = { namespace, name, ...(labels && { labels }) };
    const lease: Lease = { apiVersion: apiVersionOf(leases), kind: leases.kind, metadata, spec: this.#record(0) };
    this.#held = await this.#leases.create(lease, { signal });
    return true;
  }

  #hasExpired({ spec }: Lease): boolean {
    const record = JSON.stringify([spec.holderIdentity, spec.renewTime]);
    const nowMs = this.#kube.clock.monotonicMs();
    if (this.#observed?.record !== record) this.#observed = { record, atMs: nowMs };
    return nowMs - this.#observed.atMs >= leaseMs;
  }

  #record(leaseTransitions = 0): Lease['spec'] {
    const renewTime = microTimestamp(this.#kube.clock.now());
    const { identity } = this.#lease;
    return { holderIdentity: identity, leaseDurationSeconds: leaseMs / 1000, renewTime, leaseTransitions };
  }

  get #leases() {
    return this.#kube.resource(leases);
  }
}
