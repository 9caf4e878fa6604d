import type { Node } from '@slipway/kube-objects/kinds/api/nodes';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { VersionProfile } from '@slipway/kube-objects/rules/version-profile';
import { isCritical } from './pods/critical-pod.js';
import { type AdmissionFailure, admissionFailures, type Rejection, rejection } from './pods/pod-admission.js';
import type { Resident, Residents } from './pods/residents.js';
import { chooseVictims } from './preemption/choose-victims.js';

export interface NodeAdmissionOptions {
  readonly node: () => Node;
  readonly residents: Residents;
  readonly profile: VersionProfile;
  /** Takes a pod away so that another has room. What it took is free when this returns. */
  readonly preempt: (victim: Resident) => void;
}

/** What a pod asks for: to be run, or to become larger. */
export type Operation = 'admit' | 'resize';

/** Decides whether a pod fits on the node, and makes room for pods that the node cannot be without. */
export class NodeAdmission {
  readonly #options: NodeAdmissionOptions;

  constructor(options: NodeAdmissionOptions) {
    this.#options = options;
  }

  /** Why a pod cannot have what it asks for; undefined when it can, for which others may have been taken away. */
  whyNot(pod: Pod, operation: Operation): Rejection | undefined {
    const { node, residents } = this.#options;
    const failures = admissionFailures(pod, node(), residents.beside(pod.metadata.uid ?? ''));
    const [first] = failures;
    if (first === undefined) return undefined;
    return this.#makesRoom(pod, operation) ? this.#makeRoom(pod, failures) : rejection(first);
  }

  #makesRoom(pod: Pod, operation: Operation): boolean {
    const { resizePreemption, kubeletHonoursNever } = this.#options.profile;
    if (!isCritical(pod) || (kubeletHonoursNever && pod.spec.preemptionPolicy === 'Never')) return false;
    return operation === 'admit' || resizePreemption === 'kubelet';
  }

  #makeRoom(pod: Pod, failures: readonly AdmissionFailure[]): Rejection | undefined {
    const { residents, preempt } = this.#options;
    // Nothing else is wrong with the pod, or no other pod is evicted for it.
    const other = failures.find(({ kind }) => kind !== 'resource');
    if (other) return rejection(other);
    const candidates = residents
      .all()
      .filter(({ pod: { metadata }, ending }) => !ending && metadata.uid !== pod.metadata.uid);
    const chosen = chooseVictims(pod, candidates, failures);
    if (chosen.kind === 'none') {
      const why = `preemption: error finding a set of pods to preempt: ${chosen.why}`;
      return {
        reason: 'UnexpectedAdmissionError',
        message: `Unexpected error while attempting to recover from admission failure: ${why}`,
      };
    }
    for (const victim of chosen.victims) preempt(victim);
    return undefined;
  }
}
