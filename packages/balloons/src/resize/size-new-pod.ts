import { hasReason, type Kube, type KubeObject } from '@slipway/kube';
import { type Amounts, sameAmounts } from '../planner/amounts.js';
import { readBalloonPod } from '../pods/balloon-pod.js';
import { askForSize, takeGateAway } from '../pods/patch-balloon.js';
import { refusedEnding } from './refusals.js';

/**
 * Gives a balloon pod its size before it takes its node, so that a node never looks
 * full size because its balloon is new. What does not fit now is what a resize does later.
 * A pod that changed meanwhile is left alone: whoever sees the change looks again.
 */
export async function sizeNewPod(kube: Kube, pod: KubeObject, to: Amounts, signal: AbortSignal): Promise<void> {
  const { desired, gated } = readBalloonPod(pod);
  if (!sameAmounts(desired, to)) {
    try {
      await askForSize(kube, pod, to, signal);
    } catch (error) {
      if (hasReason(error, 'Conflict')) return;
      // Servers that resize no pod without a node, and quotas: it starts small and grows under the taint.
      if (!refusedEnding(error)) throw error;
    }
  }
  if (!gated) return;
  try {
    await takeGateAway(kube, pod, signal);
  } catch (error) {
    // The gate is gone already, or the pod.
    if (!refusedEnding(error)) throw error;
  }
}
