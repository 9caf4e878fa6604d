import type { ObjectPart } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';

/** A container of a pod, as events refer to it. */
export function containerPart(pod: Pod, name: string): ObjectPart {
  const has = (containers: readonly { readonly name: string }[] = []) => containers.some((each) => each.name === name);
  const { initContainers, ephemeralContainers } = pod.spec;
  const list = has(initContainers) ? 'initContainers' : has(ephemeralContainers) ? 'ephemeralContainers' : 'containers';
  return { object: pod, fieldPath: `spec.${list}{${name}}` };
}
