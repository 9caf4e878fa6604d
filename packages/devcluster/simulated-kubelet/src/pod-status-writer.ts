import { type Kube, type RecentWrites, type ResourceClient, sameJson, timestamp } from '@slipway/kube';
import { type ContainerStatus, type Pod, type PodStatus, pods } from '@slipway/kube-objects/kinds/api/pods';
import type { VersionProfile } from '@slipway/kube-objects/rules/version-profile';
import type { PodPulls } from './images/pod-pulls.js';
import { nodeAddress, type PodAddresses } from './node/pod-addresses.js';
import type { Machine } from './pods/machine.js';
import type { Rejection } from './pods/pod-admission.js';
import type { Resident } from './pods/residents.js';
import type { PodResizes } from './resize/pod-resizes.js';
import { type PodEnd, podStatusAt } from './status/pod-status.js';
import type { ContainerNow } from './timeline/container-at.js';

export interface PodStatusWriterOptions {
  readonly kube: Kube;
  readonly machine: Machine;
  readonly nodeNumber: number;
  readonly addresses: PodAddresses;
  readonly profile: VersionProfile;
  readonly resizes: PodResizes;
  readonly pulls: PodPulls;
  readonly recent: RecentWrites<Pod>;
}

/** Tells the API server how the pods of one node are. Writes nothing when it was told so before. */
export class PodStatusWriter {
  readonly #options: PodStatusWriterOptions;
  readonly #client: ResourceClient<Pod>;

  constructor(options: PodStatusWriterOptions) {
    this.#options = options;
    this.#client = options.kube.resource(pods);
  }

  /**
   * Returns the pod with the status that it has now.
   * @param end set once all of the pod has been stopped
   */
  async write(resident: Resident, elapsedMs: number, signal: AbortSignal, end?: PodEnd): Promise<Pod> {
    const { nodeNumber, addresses, profile, pulls, resizes } = this.#options;
    const { pod, timeline, admittedAtMs } = resident;
    const uid = pod.metadata.uid ?? '';
    const hostIP = nodeAddress(nodeNumber);
    const status = podStatusAt(pod, timeline, admittedAtMs, elapsedMs, {
      hostIP,
      podIP: pod.spec.hostNetwork ? hostIP : resident.isMounted ? addresses.addressOf(uid) : undefined,
      profile,
      resourcesOf: (container, now) => this.#resourcesOf(uid, container, now),
      waitingFor: (container) => pulls.waitingFor(uid, container),
      isMounted: resident.isMounted,
      resize: resizes.conditions(uid),
      end,
    });
    await this.#replace(pod, status, signal);
    return { ...pod, status };
  }

  /** Tells that a pod is not run at all. */
  async reject(pod: Pod, { reason, message }: Rejection, signal: AbortSignal): Promise<void> {
    const startTime = timestamp(this.#options.kube.clock.now());
    const said = `Pod was rejected: ${message}`;
    await this.#replace(pod, { ...pod.status, phase: 'Failed', reason, message: said, startTime }, signal);
  }

  /** Tells that a pod that is to go has not run and never will: what counts ends waits for one. */
  async neverRan(pod: Pod, signal: AbortSignal): Promise<void> {
    await this.#replace(pod, { ...pod.status, phase: 'Failed' }, signal);
  }

  async #replace(pod: Pod, status: PodStatus, signal: AbortSignal): Promise<void> {
    if (sameJson(status, pod.status)) return;
    this.#options.recent.wrote(await this.#client.replaceStatus({ ...pod, status }, { signal }));
  }

  /** A container that does not run will start with what is set aside for it. */
  #resourcesOf(
    uid: string,
    container: string,
    { state }: ContainerNow,
  ): Pick<ContainerStatus, 'resources' | 'allocatedResources'> {
    const { machine, profile } = this.#options;
    const allocated = machine.checkpoint.allocated(uid)?.get(container) ?? {};
    const actuated = machine.checkpoint.actuated(uid)?.get(container) ?? allocated;
    const isTold = profile.reportsAllocated && allocated.requests !== undefined;
    return {
      resources: state === 'running' ? actuated : allocated,
      ...(isTold && { allocatedResources: allocated.requests }),
    };
  }
}
