import { hasReason, type Kube, type Logger, refOf, sleep, timestamp } from '@slipway/kube';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { mirrorAnnotation } from '@slipway/kube-objects/rules/well-known';
import { mirrorPod, type StaticPod } from './mirror-pod.js';

const retryMs = 10_000;

export interface MirrorsOptions {
  readonly kube: Kube;
  readonly log: Logger;
  readonly nodeName: string;
  readonly staticPods: readonly StaticPod[];
}

/** Keeps the static pods of one node in the API: whoever deletes one sees it come back. */
export class Mirrors {
  readonly #options: MirrorsOptions;
  #stopping = new AbortController();

  constructor(options: MirrorsOptions) {
    this.#options = options;
  }

  /** Makes those that are not there, and makes anew those whose file says something else than before. Tries until it works. */
  start(): void {
    this.#stopping = new AbortController();
    for (const pod of this.#options.staticPods) void this.#keep(pod);
  }

  stop(): void {
    this.#stopping.abort(new Error('the kubelet was stopped'));
  }

  /** A pod of the node is gone. */
  gone(name: string): void {
    const { nodeName, staticPods } = this.#options;
    const pod = staticPods.find(({ metadata }) => `${metadata.name}-${nodeName}` === name);
    if (pod) void this.#keep(pod);
  }

  async #keep(pod: StaticPod): Promise<void> {
    const { log, kube, nodeName } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        return await this.#make(pod, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn('a static pod could not be shown in the API, trying again', { node: nodeName, error });
        await sleep(kube.clock, retryMs, signal).catch(() => {});
      }
    }
  }

  async #make(pod: StaticPod, signal: AbortSignal): Promise<void> {
    const { kube, nodeName } = this.#options;
    // A node that was deleted stays away until its kubelet starts again, and its pods with it.
    const node = await kube.resource(nodes).find({ name: nodeName }, signal);
    if (!node) return;
    const now = timestamp(kube.clock.now());
    const mirror = mirrorPod(pod, { name: nodeName, uid: node.metadata.uid ?? '' }, now);
    const client = kube.resource(pods);
    const ref = refOf(mirror);
    try {
      await client.create(mirror, { signal });
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
      const known = await client.find(ref, signal);
      const hashOf = ({ metadata }: typeof mirror) => metadata.annotations?.[mirrorAnnotation];
      // One that is deleted is made anew when its kubelet hears that it is gone.
      if (known && hashOf(known) !== hashOf(mirror)) await client.delete(ref, { gracePeriodSeconds: 0, signal });
    }
  }
}
