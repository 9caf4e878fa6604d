import { errorMessage, type Kube } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { resourceClaims } from '@slipway/kube-objects/kinds/api/resource-claims';
import { claimOfEntry, isReservedFor, notOwnedBy } from '@slipway/kube-objects/rules/pod-resource-claims';

export interface PodClaimsOptions {
  readonly kube: Kube;
  /** Writes an event of a pod. */
  readonly tell: (pod: Pod, type: 'Warning', reason: string, message: string) => void;
}

/**
 * Prepares the devices of pods before their containers start, as a kubelet to which every driver answers at once: the
 * claims of a pod must be reserved for it.
 */
export class PodClaims {
  readonly #options: PodClaimsOptions;

  constructor(options: PodClaimsOptions) {
    this.#options = options;
  }

  /** Whether a pod has claims that may have to be waited for. */
  concern({ spec }: Pod): boolean {
    return (spec.resourceClaims ?? []).length > 0;
  }

  /** Whether the pod may use all its claims. An event of the pod says why not. */
  async prepare(pod: Pod): Promise<boolean> {
    const problem = await this.#problem(pod);
    if (problem === undefined) return true;
    const message = `Failed to prepare dynamic resources: prepare dynamic resources: ${problem}`;
    this.#options.tell(pod, 'Warning', 'FailedPrepareDynamicResources', message);
    return false;
  }

  async #problem(pod: Pod): Promise<string | undefined> {
    const { namespace, name: podName, uid } = pod.metadata;
    for (const entry of pod.spec.resourceClaims ?? []) {
      const named = claimOfEntry(pod, entry);
      if (named === 'not-needed') continue;
      if (named === 'not-made') return `pod "${namespace}/${podName}": ResourceClaim not created yet`;
      const { name, isOwn } = named;
      const claim = await this.#options.kube.resource(resourceClaims).get({ namespace, name }).catch(errorMessage);
      if (typeof claim === 'string') return `fetch ResourceClaim ${name}: ${claim}`;
      const problem = isOwn ? notOwnedBy(pod, claim) : undefined;
      if (problem !== undefined) return problem;
      if (isReservedFor(pod, claim)) continue;
      return `pod ${podName} (${uid}) is not allowed to use ResourceClaim ${name} (${claim.metadata.uid})`;
    }
    return undefined;
  }
}
