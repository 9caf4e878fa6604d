import {
  isControlledBy,
  type KubeObject,
  type LabelSelector,
  type ResourceClient,
  type ResourceRef,
} from '@slipway/kube';
import { RecordedClient } from '../workloads/recorded-client.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { indexByController, ownedOrOrphaned } from './by-controller.js';
import { claim } from './claim.js';
import { planClaims } from './plan-claims.js';

/** The objects of one kind that objects of another control, the writes of this process included. */
export class OwnedObjects<O extends KubeObject, T extends KubeObject> {
  readonly objects: RecordedClient<T>;
  readonly #owners: ResourceClient<O>;
  readonly #candidates: (owner: O) => readonly T[];

  constructor(deps: Omit<WorkloadDeps, 'log'>, owners: ResourceRef<O>, objects: ResourceRef<T>) {
    const informer = deps.informers.informer(objects);
    indexByController(informer);
    this.objects = new RecordedClient(deps, objects);
    this.#owners = deps.kube.resource(owners);
    this.#candidates = (owner) =>
      this.objects.over(ownedOrOrphaned(informer, owner), (object) => isControlledBy(object, owner));
  }

  /** Takes over what is selected and has no controller, lets go of what is no longer selected, and returns what is controlled. */
  claim(owner: O, selector: LabelSelector, signal: AbortSignal): Promise<readonly T[]> {
    const deps = { owners: this.#owners, objects: this.objects };
    return claim(deps, owner, selector, this.#candidates(owner), signal);
  }

  /** What is controlled as far as is known by now; nothing is taken over or let go. */
  known(owner: O, selector: LabelSelector): readonly T[] {
    return planClaims(owner, selector, this.#candidates(owner)).owned;
  }
}
