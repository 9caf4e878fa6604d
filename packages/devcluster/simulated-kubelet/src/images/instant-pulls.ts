import type { ImageTimes, PodDelays } from '../timeline/pod-timeline.js';

/** Pulls that always succeed and take as long as all others do, one at a time in a pod. */
export function instantPulls({ pullMs }: Pick<PodDelays, 'pullMs'>, hasImage: (image: string) => boolean): ImageTimes {
  const pulled = new Set<string>();
  return ({ image = '', imagePullPolicy }, fromMs) => {
    const isThere = hasImage(image) || pulled.has(image);
    pulled.add(image);
    const isPulled = imagePullPolicy === 'Always' || (imagePullPolicy !== 'Never' && !isThere);
    return isPulled ? { pullAtMs: fromMs, pulledAtMs: fromMs + pullMs } : { pullAtMs: undefined, pulledAtMs: fromMs };
  };
}
