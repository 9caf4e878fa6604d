import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { ImageTimes } from '../timeline/pod-timeline.js';

/**
 * The images that a pod has as volumes (KEP-4639), each as if it were a container that is never made: a kubelet has
 * all of them there before it makes the first container. No container can have such a name.
 */
export function imageVolumesOf({ spec }: Pod): readonly Container[] {
  return (spec.volumes ?? []).flatMap(({ name, image }) => {
    const { reference, pullPolicy } = (image ?? {}) as { reference?: string; pullPolicy?: string };
    if (!reference) return [];
    return [
      { name: `volumes/${name}`, image: reference, ...(pullPolicy && { imagePullPolicy: pullPolicy }) } as Container,
    ];
  });
}

/** Images of containers that come after those of the pod's volumes, one at a time. */
export function afterVolumes(pod: Pod, images: ImageTimes): ImageTimes {
  let thereMs = 0;
  for (const volume of imageVolumesOf(pod)) thereMs = images(volume, thereMs).pulledAtMs;
  return (container, fromMs) => images(container, Math.max(fromMs, thereMs));
}
