import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { mirrorAnnotation } from '@slipway/kube-objects/rules/well-known';

/** From this priority on a pod is one that the cluster or its node cannot be without. */
const criticalPriority = 2_000_000_000;

/** Whether a pod only shows what its kubelet runs by itself. */
export function isStatic({ metadata: { annotations } }: Pod): boolean {
  return annotations !== undefined && Object.hasOwn(annotations, mirrorAnnotation);
}

/** Whether a kubelet makes room for a pod by taking others away. */
export function isCritical(pod: Pod): boolean {
  return isStatic(pod) || (pod.spec.priority ?? 0) >= criticalPriority;
}
