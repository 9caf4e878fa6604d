import type { StaticPod } from '../static-pods/mirror-pod.js';
import { type NodePolicies, ordinaryPolicies } from './node-policies.js';
import type { PullRate } from './pull-rate.js';

/** What a KubeletConfiguration means for simulated kubelets. */
export interface KubeletSettings {
  /** Images pulled at once; 0 means unlimited. */
  readonly pullsAtOnce: number;
  readonly pullRate: PullRate;
  readonly policies: NodePolicies;
  /** What of the node is kept for the system, by resource; several amounts add up. */
  readonly reserved: readonly Readonly<Record<string, string>>[];
  /** What is kept free on the node, by resource. */
  readonly evictedBelow: Readonly<Record<string, string>>;
  /** How many pods at most; undefined leaves it as it is. */
  readonly maxPods: number | undefined;
  /** Pods that every kubelet has by itself. */
  readonly staticPods: readonly StaticPod[];
  /** What people should know though the file can be used. */
  readonly warning: string | undefined;
}

/** What kubelets do that were given no file. */
export const ordinarySettings: KubeletSettings = {
  pullsAtOnce: 0,
  pullRate: { perSecond: 0, burst: 0 },
  policies: ordinaryPolicies,
  reserved: [],
  evictedBelow: {},
  maxPods: undefined,
  staticPods: [],
  warning: undefined,
};
