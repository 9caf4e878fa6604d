/** What a kubelet was told about how its node deals out cpu and memory. */
export interface NodePolicies {
  /** Containers of burstable pods may swap, so that their memory cannot be changed while they run. */
  readonly swaps: boolean;
  /** Guaranteed pods own whole cpus, which stay theirs. */
  readonly staticCpu: boolean;
  /** Guaranteed pods own memory of certain banks, which stays theirs. */
  readonly staticMemory: boolean;
}

export const ordinaryPolicies: NodePolicies = { swaps: false, staticCpu: false, staticMemory: false };
