import { type FailureReason, ImageEnsurer } from '@slipway/image-pulls';
import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { KubeletSettings } from '../settings/kubelet-settings.js';
import { withRate } from '../settings/pull-rate.js';
import { presentText } from '../timeline/container-events.js';
import { containerPart } from '../timeline/container-part.js';
import { arranged } from '../timeline/pod-timeline.js';
import { imageVolumesOf } from './image-volumes.js';
import type { ImageScenario } from './images-file.js';
import { type ImageState, NodeImages } from './node-images.js';
import type { NewPodPulls } from './pod-pulls.js';
import { SimulatedImages } from './simulated-images.js';
import { hasBegun, unknownYet, waitingTimeline } from './waiting-timeline.js';

/** Images come as the scenario has it, no more of them at once than kubelets were told to pull. */
export function limitedPulls(
  scenario: ImageScenario,
  { pullsAtOnce, pullRate }: Pick<KubeletSettings, 'pullsAtOnce' | 'pullRate'>,
): NewPodPulls {
  return ({ kube, machine, delays, profile, syncSoon }, events) => {
    const { clock } = kube;
    const pods = new Map<string, Pod>();
    const service = new SimulatedImages({ scenario, clock, present: machine.images });
    const ensurer = new ImageEnsurer({
      service: withRate(service, pullRate, clock),
      maxParallelImagePulling: () => pullsAtOnce,
      clock,
      onEvent({ pod: { uid }, container, type, reason, message }) {
        const pod = pods.get(uid);
        if (!pod) return;
        const said = message.replace(/already present on machine$/, presentText(profile));
        events.event(containerPart(pod, container), type, reason, said);
      },
    });
    const failed = (pod: Pod, container: Container, reason: FailureReason) =>
      events.event(containerPart(pod, container.name), 'Warning', 'Failed', `Error: ${reason}`);
    const images = new NodeImages({ ensurer, clock, changed: syncSoon, failed });
    return {
      timelineOf: (pod) => waitingTimeline(pod, delays),
      imagesOf: () => unknownYet,
      pull({ pod, admittedAtMs, timeline }, elapsedMs) {
        const { uid = '' } = pod.metadata;
        pods.set(uid, pod);
        const missing = hasBegun(pod)
          ? []
          : imageVolumesOf(pod).filter((volume) => !isThere(images.stateOf(uid, volume)));
        const before = new Map(timeline.map((times) => [times.container.name, times]));
        const updated = arranged(timeline, delays, (container, fromMs) => {
          const state = images.stateOf(uid, container);
          const known = before.get(container.name)?.pulledAtMs ?? Number.POSITIVE_INFINITY;
          const thereMs = state?.kind === 'there' ? state.atMs - admittedAtMs : known;
          return { pullAtMs: undefined, pulledAtMs: Math.max(fromMs, thereMs), isToldByOthers: true };
        });
        const due = updated.filter(({ imageFromMs, pulledAtMs }) => imageFromMs <= elapsedMs && pulledAtMs > elapsedMs);
        images.ask(pod, missing.length > 0 ? missing : due.map(({ container }) => container));
        const againInMs = images.askAgainInMs(uid, [...missing, ...due.map(({ container }) => container)]);
        return { timeline: updated, ...(againInMs !== undefined && { againInMs }) };
      },
      waitingFor(uid, container) {
        const pod = pods.get(uid);
        const volumes = pod ? imageVolumesOf(pod) : [];
        const failed = [...volumes, container]
          .map((each) => images.stateOf(uid, each))
          .find((one) => one?.kind === 'failed');
        return failed?.kind === 'failed' ? { reason: failed.reason, message: failed.message } : undefined;
      },
      forget(uid) {
        pods.delete(uid);
        images.forget(uid);
      },
      stop: () => images.stop(),
    };
  };
}

function isThere(state: ImageState | undefined): boolean {
  return state?.kind === 'there';
}
