import {
  hasReason,
  type Kube,
  type KubeObject,
  type Logger,
  microTimestamp,
  type ResourceRef,
  sleep,
  slipwayLabels,
} from '@slipway/kube';

/** The resource of coordination.k8s.io/v1 leases. */
export const Lease: ResourceRef = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

export interface LeaderLease {
  readonly namespace: string;
  readonly name: string;
  /** Who we are; no two processes may say the same. */
  readonly identity: string;
}

/** As client-go has them: who does not renew in 15 s is dead, who could not in 10 s stops. */
const leaseMs = 15_000;
const renewWithinMs = 10_000;
const retryMs = 2_000;

interface LeadDeps {
  readonly kube: Kube;
  readonly lease: LeaderLease;
  readonly log: Logger;
}

/**
 * Runs `work` while this process holds the lease, and again whenever it gets it back.
 * Work is told to stop before anybody else may begin: time is counted from before the
 * last renewal that succeeded, on a clock that does not jump.
 */
export async function lead(
  deps: LeadDeps,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const holder = new Holder(deps);
  while (!signal.aborted) {
    const gotIt = await holder.tryHold(signal);
    if (gotIt) await whileHeld(deps, holder, work, signal);
    else await sleep(deps.kube.clock, retryMs, signal).catch(() => {});
  }
}

async function whileHeld(
  { kube, log }: LeadDeps,
  holder: Holder,
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const lost = new AbortController();
  const working = AbortSignal.any([signal, lost.signal]);
  const done = work(working).finally(() => lost.abort(new Error('the work ended')));
  let heldAtMs = kube.clock.monotonicMs();
  while (!working.aborted) {
    await sleep(kube.clock, retryMs, working).catch(() => {});
    const askedAtMs = kube.clock.monotonicMs();
    if (working.aborted) break;
    if (await holder.tryHold(working)) heldAtMs = askedAtMs;
    else if (holder.isForeign || kube.clock.monotonicMs() - heldAtMs >= renewWithinMs) {
      log.warn('another process leads now, or nobody could be asked');
      lost.abort(new Error('the lease was lost'));
    }
  }
  await done;
  if (signal.aborted) await holder.release();
}

class Holder {
  readonly #kube: Kube;
  readonly #lease: LeaderLease;
  readonly #log: Logger;
  #complaint = '';
  /** The holder's record as we first saw it, and when: clocks of others are not believed. */
  #seen: { readonly record: string; readonly atMs: number } | undefined;
  isForeign = false;

  constructor({ kube, lease, log }: LeadDeps) {
    this.#kube = kube;
    this.#lease = lease;
    this.#log = log;
  }

  /** Takes the lease or renews it. False when somebody else has it, or no answer came. */
  async tryHold(signal: AbortSignal): Promise<boolean> {
    try {
      const found = await this.#leases.find(this.#lease, signal);
      if (!found) return await this.#create(signal);
      const { holderIdentity = '' } = found.spec ?? {};
      this.isForeign = holderIdentity !== '' && holderIdentity !== this.#lease.identity;
      if (this.isForeign && !this.#isDead(found)) return false;
      await this.#leases.replace({ ...found, spec: this.#record(found.spec?.leaseTransitions) }, { signal });
      this.isForeign = false;
      this.#complaint = '';
      return true;
    } catch (error) {
      if (hasReason(error, 'Conflict')) this.isForeign = true;
      else if (!signal.aborted) this.#complain(String(error));
      return false;
    }
  }

  /** Says what stands in the way once, not every two seconds. */
  #complain(error: string): void {
    if (error !== this.#complaint) this.#log.warn('nobody could be asked for the lease', { error });
    this.#complaint = error;
  }

  /** Lets the next one in without making it wait. */
  async release(): Promise<void> {
    try {
      const found = await this.#leases.get(this.#lease);
      if (found.spec?.holderIdentity !== this.#lease.identity) return;
      await this.#leases.replace({ ...found, spec: { ...found.spec, holderIdentity: '' } });
    } catch {
      // It runs out by itself.
    }
  }

  async #create(signal: AbortSignal): Promise<boolean> {
    const { namespace, name } = this.#lease;
    const apiVersion = `${Lease.group}/${Lease.version}`;
    const metadata = { namespace, name, labels: slipwayLabels('balloons') };
    const lease: KubeObject = { apiVersion, kind: 'Lease', metadata, spec: this.#record(0) };
    await this.#leases.create(lease, { signal });
    return true;
  }

  #isDead(found: KubeObject): boolean {
    const record = JSON.stringify([found.spec?.holderIdentity, found.spec?.renewTime]);
    const nowMs = this.#kube.clock.monotonicMs();
    if (this.#seen?.record !== record) this.#seen = { record, atMs: nowMs };
    return nowMs - this.#seen.atMs >= leaseMs;
  }

  #record(transitions: number) {
    const renewTime = microTimestamp(this.#kube.clock.now());
    const { identity } = this.#lease;
    return {
      holderIdentity: identity,
      leaseDurationSeconds: leaseMs / 1000,
      renewTime,
      leaseTransitions: transitions,
    };
  }

  get #leases() {
    return this.#kube.resource(Lease);
  }
}
