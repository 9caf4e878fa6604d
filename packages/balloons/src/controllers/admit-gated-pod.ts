import type { Kube, KubeObject } from '@slipway/kube';
import { keys } from '../api/group.js';
import { hasTaint, type NodeView } from '../nodes/node-view.js';
import { sameAmounts } from '../planner/amounts.js';
import { type PlanInput, planSize } from '../planner/plan-size.js';
import { closeUntilSized } from './fence.js';
import { askForSize, takeGateAway } from './patch-balloon.js';
import { refusedEnding } from './refusals.js';

export interface GatedPod {
  readonly kube: Kube;
  readonly node: NodeView;
  readonly pod: KubeObject;
  readonly input: PlanInput;
  /** False where a pod of this class may only grow once it runs. */
  readonly grow: boolean;
}

/**
 * Gives a balloon pod its size before it takes its node, so that a node never looks
 * full size because its balloon is new. The node is closed meanwhile, and opened again
 * once the pod runs. What does not fit now is what a resize does later.
 */
export async function admitGatedPod({ kube, node, pod, input, grow }: GatedPod, signal: AbortSignal): Promise<void> {
  const plan = planSize({ ...input, fit: 'BestEffort' });
  const shrinksNode = plan.kind === 'resize' && !sameAmounts(plan.to, plan.from);
  if (shrinksNode && !hasTaint(node, keys.unsized)) await closeUntilSized(kube, node.name, signal);
  if (shrinksNode && grow) {
    try {
      await askForSize(kube, pod, plan.to, signal);
    } catch (error) {
      // Servers that resize no pod without a node, and quotas: it starts small and grows under the taint.
      if (!refusedEnding(error)) throw error;
    }
  }
  await takeGateAway(kube, pod, signal);
}
