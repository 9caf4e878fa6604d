import {
  type InformerFactory,
  isControlledBy,
  type Kube,
  type KubeObject,
  type LabelSelector,
  RecentWrites,
  type ResourceClient,
  type ResourceRef,
} from '@slipway/kube';
import { indexByController, ownedOrOrphaned } from './by-controller.js';
import { claim } from './claim.js';
import { planClaims } from './plan-claims.js';

/** The objects of one kind that objects of another control, the writes of this process included. */
export class OwnedObjects<O extends KubeObject, T extends KubeObject> {
  readonly client: ResourceClient<T>;
  /** To be told of every write of this process. */
  readonly recent: RecentWrites<T>;
  readonly #owners: ResourceClient<O>;
  readonly #candidates: (owner: O) => readonly T[];

  constructor(
    { kube, informers }: { readonly kube: Kube; readonly informers: InformerFactory },
    owners: ResourceRef<O>,
    objects: ResourceRef<T>,
  ) {
    const informer = informers.informer(objects);
    indexByController(informer);
    this.client = kube.resource(objects);
    this.recent = new RecentWrites(informer, kube.clock);
    this.#owners = kube.resource(owners);
    this.#candidates = (owner) =>
      this.recent.over(ownedOrOrphaned(informer, owner), (object) => isControlledBy(object, owner));
  }

  /** Takes over what is selected and has no controller, lets go of what is no longer selected, and returns what is controlled. */
  claim(owner: O, selector: LabelSelector, signal: AbortSignal): Promise<readonly T[]> {
    const deps = { owners: this.#owners, objects: this.client, recent: this.recent };
    return claim(deps, owner, selector, this.#candidates(owner), signal);
  }

  /** What is controlled as far as is known by now; nothing is taken over or let go. */
  known(owner: O, selector: LabelSelector): readonly T[] {
    return planClaims(owner, selector, this.#candidates(owner)).owned;
  }
}
