import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { imageVolumesOf } from './image-volumes.js';
import { whyMissing } from './missing-images.js';
import { instantly, type NewPodPulls, type PodPulls } from './pod-pulls.js';
import { unknownYet, waitingTimeline } from './waiting-timeline.js';

/**
 * Every image is there as soon as it is asked for, except those that do not exist: pods that name one have the pulls that `load`
 * returns, which nothing needs before.
 */
export function presentImages(load: () => Promise<NewPodPulls>): NewPodPulls {
  return (node, events) => {
    const present = instantly(node, events);
    const lacking = new Map<string, Pod>();
    let isStopped = false;
    let asking: PodPulls | undefined;
    let isLoaded = false;
    const loadOnce = async () => {
      const newPulls = await load();
      asking = newPulls(node, events);
      if (isStopped) asking.stop();
      else for (const pod of lacking.values()) node.syncSoon(pod);
    };
    /** Whether images of a pod are asked for: from when it first names one that does not exist. */
    const asks = (pod: Pod) => {
      const uid = pod.metadata.uid ?? '';
      if (!lacking.has(uid) && !lacksImage(pod)) return false;
      lacking.set(uid, pod);
      if (!isLoaded) void loadOnce();
      isLoaded = true;
      return true;
    };
    return {
      timelineOf: (pod) => (asks(pod) ? waitingTimeline(pod, node.delays) : present.timelineOf(pod)),
      imagesOf: (pod) => (asks(pod) ? unknownYet : present.imagesOf(pod)),
      pull(resident, elapsedMs) {
        if (!lacking.has(resident.pod.metadata.uid ?? '')) return present.pull(resident, elapsedMs);
        return asking?.pull(resident, elapsedMs) ?? { timeline: resident.timeline };
      },
      waitingFor: (uid, container) => asking?.waitingFor(uid, container),
      forget(uid) {
        lacking.delete(uid);
        asking?.forget(uid);
      },
      stop() {
        isStopped = true;
        asking?.stop();
      },
    };
  };
}

function lacksImage(pod: Pod): boolean {
  const { initContainers = [], containers } = pod.spec;
  return [...imageVolumesOf(pod), ...initContainers, ...containers].some(
    ({ image = '' }) => whyMissing(image) !== undefined,
  );
}
