import type { KubeObject } from '@slipway/kube';
import { parseAmounts } from '../planner/amounts.js';

/** A pod that was evicted, and whether the node would have been short of memory without its balloon. */
export interface Eviction {
  readonly pod: KubeObject;
  readonly isForBalloon: boolean;
}

/**
 * What pods really use of the memory of a node: a pause container nothing, any other balloon half of what it
 * requests, a workload all of it unless `setUse` says otherwise.
 */
export class ModelMemory {
  readonly #uses = new Map<string, bigint>();

  setUse(pod: KubeObject, bytes: bigint): void {
    this.#uses.set(pod.metadata.uid ?? '', bytes);
  }

  /** The pod that has to leave next, as a kubelet ranks them; undefined while the node has enough memory. */
  eviction(pods: readonly KubeObject[], bytes: bigint): Eviction | undefined {
    if (this.#sum(pods) <= bytes) return undefined;
    const [pod] = pods
      .filter(({ spec }) => (spec?.priority ?? 0) < 2_000_000_000)
      .sort((a, b) => Number(this.#overshoot(b) - this.#overshoot(a)));
    return pod && { pod, isForBalloon: this.#sum(pods.filter((each) => !isBalloon(each))) <= bytes };
  }

  #sum(pods: readonly KubeObject[]): bigint {
    return pods.reduce((sum, pod) => sum + this.#useOf(pod), 0n);
  }

  /** How far above its request a pod is; the model has one priority of workloads. */
  #overshoot(pod: KubeObject): bigint {
    return this.#useOf(pod) - requested(pod);
  }

  #useOf(pod: KubeObject): bigint {
    if (!isBalloon(pod)) return this.#uses.get(pod.metadata.uid ?? '') ?? requested(pod);
    return /\/pause[:@]/.test(pod.spec?.containers[0].image) ? 0n : requested(pod) / 2n;
  }
}

function requested(pod: KubeObject): bigint {
  return parseAmounts(pod.spec?.containers[0].resources.requests).memory;
}

function isBalloon({ metadata }: KubeObject): boolean {
  return metadata.namespace === 'kube-system';
}
