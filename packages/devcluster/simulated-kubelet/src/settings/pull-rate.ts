import { CriError, type ImageService } from '@slipway/image-pulls';
import type { Clock } from '@slipway/kube';

/** How many pulls a kubelet begins per second, as `registryPullQPS` and `registryBurst` say. */
export interface PullRate {
  /** 0 means unlimited. */
  readonly perSecond: number;
  readonly burst: number;
}

/** The same image service, with pulls refused that come too fast, as a kubelet refuses them. */
export function withRate(service: ImageService, { perSecond, burst }: PullRate, clock: Clock): ImageService {
  if (perSecond === 0) return service;
  let tokens = burst;
  let sinceMs = clock.monotonicMs();
  return {
    imageStatus: (image, signal) => service.imageStatus(image, signal),
    supportsOption: (signal) => service.supportsOption(signal),
    async pullImage(request, signal) {
      const nowMs = clock.monotonicMs();
      tokens = Math.min(burst, tokens + ((nowMs - sinceMs) / 1000) * perSecond);
      sinceMs = nowMs;
      if (tokens < 1) throw new CriError(2, 'pull QPS exceeded');
      tokens -= 1;
      return await service.pullImage(request, signal);
    },
  };
}
