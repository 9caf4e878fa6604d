import { type Clock, type Informer, RecentWrites } from '@slipway/kube';
import type { Allocation, ResourceClaim } from '@slipway/kube-objects/kinds/api/resource-claims';
import { type DevicesInUse, devicesInUse } from './devices-in-use.js';

/**
 * Claims as they are once all writes on their way have arrived. Devices are in use from the moment they are chosen, so
 * that no other claim gets them.
 */
export class ClaimLedger {
  readonly #informer: Informer<ResourceClaim>;
  readonly #written: RecentWrites<ResourceClaim>;
  /** Allocations that are being written, by the uid of the claim. */
  readonly #pending = new Map<string, Allocation>();
  #inUse: DevicesInUse | undefined;

  constructor(informer: Informer<ResourceClaim>, clock: Clock) {
    this.#informer = informer;
    this.#written = new RecentWrites(informer, clock);
  }

  get(namespace: string, name: string): ResourceClaim | undefined {
    return this.#written.get({ namespace, name });
  }

  /** A claim of a namespace that is so. */
  find(namespace: string, isMeant: (claim: ResourceClaim) => boolean): ResourceClaim | undefined {
    return this.#written.over(this.#informer.lister.list({ namespace }), () => true).find(isMeant);
  }

  isBeingAllocated({ metadata: { uid = '' } }: ResourceClaim): boolean {
    return this.#pending.has(uid);
  }

  /** The devices that claims have, or will have once it is written. */
  inUse(): DevicesInUse {
    this.#inUse ??= devicesInUse(this.#allocations());
    return this.#inUse;
  }

  /** The watch brought a change of a claim. */
  changed(): void {
    this.#inUse = undefined;
  }

  /** Devices were chosen for a claim: they are its own until `end`. */
  begin({ metadata: { uid = '' } }: ResourceClaim, allocation: Allocation): void {
    this.#pending.set(uid, allocation);
    this.#inUse = undefined;
  }

  /** A claim that devices were chosen for was made as `made`: they are its own, as before. */
  made(chosen: ResourceClaim, made: ResourceClaim): void {
    const allocation = this.#pending.get(chosen.metadata.uid ?? '');
    this.end(chosen);
    if (allocation) this.begin(made, allocation);
    this.wrote(made);
  }

  /** A claim was written; `claim` is the answer of the server. */
  wrote(claim: ResourceClaim): void {
    this.#written.wrote(claim);
    this.#inUse = undefined;
  }

  /** Nothing more will be written for a choice: the claim counts as it is stored. */
  end({ metadata: { uid = '' } }: ResourceClaim): void {
    this.#pending.delete(uid);
    this.#inUse = undefined;
  }

  #allocations(): readonly Allocation[] {
    const claims = this.#written.over(this.#informer.lister.list(), () => true);
    return claims.flatMap(({ metadata: { uid = '' }, status }) => this.#pending.get(uid) ?? status?.allocation ?? []);
  }
}
