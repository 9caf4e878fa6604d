import { hasReason, type Kube, type KubeObject } from '@slipway/kube';
import { type Amounts, sameAmounts } from '../planner/amounts.js';
import { readBalloonPod } from '../pods/balloon-pod.js';
import { patchPodSize, removeSizeGate } from '../pods/patch-balloon.js';
import { refusedEnding } from './refusals.js';

/**
 * Gives a balloon pod its size before it is scheduled, so that a node never has its full size because its balloon is
 * new. What does not fit now is resized later. A pod that has changed since is left alone; its change reconciles the
 * node again.
 */
export async function sizeNewPod(kube: Kube, pod: KubeObject, to: Amounts, signal: AbortSignal): Promise<void> {
  const { desired, gated } = readBalloonPod(pod);
  if (!sameAmounts(desired, to)) {
    try {
      await patchPodSize(kube, pod, to, signal);
    } catch (error) {
      if (hasReason(error, 'Conflict')) return;
      // Servers that do not resize pods without a node, and quotas: the pod starts small and grows under the taint.
      if (!refusedEnding(error)) throw error;
    }
  }
  if (!gated) return;
  try {
    await removeSizeGate(kube, pod, signal);
  } catch (error) {
    // The gate was removed already, or the pod deleted.
    if (hasReason(error, 'Forbidden') || !refusedEnding(error)) throw error;
  }
}
