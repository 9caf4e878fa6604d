import { type KubeObject, type ResourceRef, slipwayLabels } from '@slipway/kube';
import type { PriorityMode } from '../api/balloon-policy.js';
import { keys } from '../api/group.js';
import type { NodeView } from '../nodes/node-view.js';
import type { PodPriority } from '../pods/balloon-pod.js';

/** The resource of scheduling.k8s.io/v1 priority classes. */
export const PriorityClass: ResourceRef = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  namespaced: false,
};

/** The mode in effect. */
export type EffectiveMode = Exclude<PriorityMode, 'Auto'>;

/** The priority class of control planes that implement the proposal. */
export const nativeClass = 'system-balloon';

const classes: Readonly<Record<EffectiveMode, string>> = {
  Native: nativeClass,
  Polite: 'slipway-balloon',
  Protected: 'system-node-critical',
};

export const priorityClassOf = (mode: EffectiveMode) => classes[mode];

/** Resolves `Auto`: Native where the class of the proposal exists, otherwise Polite. */
export function effectiveMode(wanted: PriorityMode, hasNativeClass: boolean): EffectiveMode {
  if (wanted !== 'Auto') return wanted;
  return hasNativeClass ? 'Native' : 'Polite';
}

/**
 * The class of mode Polite. One billion is the most a class of users may have; `Never`
 * keeps its pods from preempting, and only critical pods may preempt them.
 */
export const politeClass: KubeObject = {
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name: classes.Polite, labels: slipwayLabels('balloons') },
  value: 1_000_000_000,
  preemptionPolicy: 'Never',
  globalDefault: false,
  description: 'Balloon pods: they hide what is not there, never preempt, and only critical pods preempt them.',
};

/** From here on, kubelets up to 1.36 evict pods so that one that grows fits, whatever its preemptionPolicy says. */
export const criticalPriority = 2_000_000_000;

/**
 * Returns why a balloon must not grow on a node; undefined when it cannot harm other pods.
 *
 * A critical pod that grows makes kubelets up to 1.36 evict others. It is safe with the
 * class of the proposal, whose control plane knows it, and on nodes (1.37) that
 * preempt for no resize. API servers without that gate do not keep the field of the node.
 */
export function whyUnsafe(priority: PodPriority, node: NodeView): string | undefined {
  if (priority.className === nativeClass) return undefined;
  if (priority.value < criticalPriority) {
    return priority.preemptionPolicy === 'Never'
      ? undefined
      : 'the balloon may preempt: its class has no preemptionPolicy Never';
  }
  const minor = Number(/^v?1\.(\d+)/.exec(node.kubeletVersion)?.[1] ?? 0);
  if (minor < 37) return `kubelet ${node.kubeletVersion} evicts pods for a critical pod that grows`;
  if (node.neverPreemptsForResize) return undefined;
  return `node ${node.name} does not keep ${keys.noPreempt} in spec.podPreemptionPolicy.disableResizePreemption`;
}

/** Whether a new pod of this priority preempts others. Such a balloon is created small and grows later. */
export function mayPreemptWhenNew({ className, preemptionPolicy }: PodPriority): boolean {
  return className !== nativeClass && preemptionPolicy !== 'Never';
}
