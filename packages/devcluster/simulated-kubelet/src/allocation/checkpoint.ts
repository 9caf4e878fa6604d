import { InternPool } from '@slipway/api-machinery/json/intern-pool';
import { type ContainerStatus, type Pod, podCondition } from '@slipway/kube-objects/kinds/api/pods';
import { type Allocation, askedBy } from './allocation.js';

/**
 * What a kubelet keeps of the resources of its pods, so that it goes on where it was when it is started anew:
 * what it has promised (allocated), and what containers run with (actuated).
 */
export class Checkpoint {
  readonly #allocated = new Map<string, Allocation>();
  readonly #actuated = new Map<string, Allocation>();
  /** Most pods are given what others are given. */
  readonly #alike = new InternPool<Allocation>();

  allocated(uid: string): Allocation | undefined {
    return this.#allocated.get(uid);
  }

  actuated(uid: string): Allocation | undefined {
    return this.#actuated.get(uid);
  }

  allocate(uid: string, allocation: Allocation): void {
    this.#allocated.set(uid, this.#shared(allocation));
  }

  actuate(uid: string, allocation: Allocation): void {
    this.#actuated.set(uid, this.#shared(allocation));
  }

  forget(uid: string): void {
    this.#allocated.delete(uid);
    this.#actuated.delete(uid);
  }

  #shared(allocation: Allocation): Allocation {
    return this.#alike.get(JSON.stringify([...allocation]), () => allocation);
  }
}

/** Reads from a pod's status what was allocated to it and what its containers ran with, when no checkpoint remains. */
export function reportedResources(pod: Pod): { readonly allocated: Allocation; readonly actuated: Allocation } {
  const asked = askedBy(pod);
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const isPending = podCondition(pod, 'PodResizePending') !== undefined;
  const reported = (read: (status: ContainerStatus) => ContainerStatus['resources']): Allocation =>
    new Map(
      [...asked].map(([name, resources]) => {
        const status = statuses.find((each) => each.name === name);
        return [name, (status && read(status)) ?? resources];
      }),
    );
  return {
    allocated: isPending ? reported(allocatedIn) : asked,
    actuated: reported(({ resources }) => resources),
  };
}

/** Before 1.34 only what the container runs with is reported, which is what was set aside for it last. */
function allocatedIn({ resources, allocatedResources }: ContainerStatus): ContainerStatus['resources'] {
  return resources && { ...resources, ...(allocatedResources && { requests: allocatedResources }) };
}
