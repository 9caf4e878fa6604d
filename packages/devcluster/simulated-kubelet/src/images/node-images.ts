import type { FailureReason, ImageEnsured, ImageEnsurer } from '@slipway/image-pulls';
import type { Clock } from '@slipway/kube';
import type { Container, Pod } from '@slipway/kube-objects/kinds/api/pods';

/** How far the image of a container is. */
export type ImageState =
  /** Since when, in milliseconds since the epoch. */
  | { readonly kind: 'there'; readonly atMs: number }
  | { readonly kind: 'asked' }
  | {
      readonly kind: 'failed';
      readonly reason: FailureReason;
      readonly message: string;
      /** When it is worth another try; undefined when never. */
      readonly retryAtMs: number | undefined;
    };

export interface NodeImagesOptions {
  readonly ensurer: ImageEnsurer;
  readonly clock: Clock;
  /** Called when the image of a container of this pod is there, or failed. */
  readonly changed: (pod: Pod) => void;
  /** Called each time that the image of a container is not there after it was asked for. */
  readonly failed: (pod: Pod, container: Container, reason: FailureReason) => void;
}

interface PodImages {
  /** By container and image, as a container may be given another one. */
  readonly states: Map<string, ImageState>;
  readonly stop: AbortController;
  isAsking: boolean;
}

/** After a failure a kubelet looks again soon, and then says that it waits. */
const lookAgainMs = 1_000;

/** Has the images of containers there, for the pods of one node: those of a pod one after the other. */
export class NodeImages {
  readonly #options: NodeImagesOptions;
  readonly #pods = new Map<string, PodImages>();

  constructor(options: NodeImagesOptions) {
    this.#options = options;
  }

  /** Undefined when it was not requested. */
  stateOf(uid: string, container: Container): ImageState | undefined {
    return this.#pods.get(uid)?.states.get(keyOf(container));
  }

  /** Asks for the images of these containers whose time to be asked for has come. */
  ask(pod: Pod, containers: readonly Container[]): void {
    const images = this.#imagesOf(pod.metadata.uid ?? '');
    const due = containers.filter((container) => this.#isDue(images.states.get(keyOf(container))));
    if (due.length === 0 || images.isAsking) return;
    images.isAsking = true;
    void this.#askInTurn(pod, due, images);
  }

  /** Milliseconds until it is worth asking again for an image of these containers that failed. */
  askAgainInMs(uid: string, containers: readonly Container[]): number | undefined {
    const images = this.#pods.get(uid);
    if (!images || images.isAsking) return undefined;
    const moments = containers.flatMap((container) => {
      const state = images.states.get(keyOf(container));
      return state?.kind === 'failed' && state.retryAtMs !== undefined ? [state.retryAtMs] : [];
    });
    return moments.length === 0 ? undefined : Math.max(0, Math.min(...moments) - this.#options.clock.now());
  }

  /** The pod is deleted: its images are no longer waited for. */
  forget(uid: string): void {
    this.#pods.get(uid)?.stop.abort(new Error('the pod is gone'));
    this.#pods.delete(uid);
  }

  stop(): void {
    for (const uid of [...this.#pods.keys()]) this.forget(uid);
  }

  #imagesOf(uid: string): PodImages {
    const known = this.#pods.get(uid);
    if (known) return known;
    const made: PodImages = { states: new Map(), stop: new AbortController(), isAsking: false };
    this.#pods.set(uid, made);
    return made;
  }

  #isDue(state: ImageState | undefined): boolean {
    if (state === undefined) return true;
    return state.kind === 'failed' && state.retryAtMs !== undefined && state.retryAtMs <= this.#options.clock.now();
  }

  async #askInTurn(pod: Pod, containers: readonly Container[], images: PodImages): Promise<void> {
    const { signal } = images.stop;
    try {
      for (const container of containers) {
        const key = keyOf(container);
        const before = images.states.get(key);
        if (!before) images.states.set(key, { kind: 'asked' });
        const ensured = await this.#ensure(pod, container, signal);
        images.states.set(key, this.#stateAfter(ensured, before));
        if (ensured.kind === 'failed') this.#options.failed(pod, container, ensured.reason);
        this.#options.changed(pod);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      images.isAsking = false;
    }
  }

  #ensure({ metadata }: Pod, container: Container, signal: AbortSignal): Promise<ImageEnsured> {
    const { name, image = '', imagePullPolicy = 'IfNotPresent' } = container;
    const pod = { name: metadata.name ?? '', namespace: metadata.namespace ?? '', uid: metadata.uid ?? '' };
    return this.#options.ensurer.ensureImage({ image, policy: imagePullPolicy, pod, container: name }, signal);
  }

  #stateAfter(ensured: ImageEnsured, before: ImageState | undefined): ImageState {
    const nowMs = this.#options.clock.now();
    if (ensured.kind === 'present' || ensured.kind === 'pulled') return { kind: 'there', atMs: nowMs };
    if (ensured.kind === 'alreadyPulling') {
      const why =
        before?.kind === 'failed' ? before : { reason: 'ErrImagePull' as const, message: 'the image is being pulled' };
      return { ...why, kind: 'failed', retryAtMs: nowMs + ensured.retryAfterMs };
    }
    const { reason, message, retryAfterMs } = ensured;
    const isFresh = reason !== 'ImagePullBackOff' && retryAfterMs !== undefined;
    const inMs = isFresh ? Math.min(lookAgainMs, retryAfterMs) : retryAfterMs;
    return { kind: 'failed', reason, message, retryAtMs: inMs === undefined ? undefined : nowMs + inMs };
  }
}

function keyOf({ name, image = '' }: Container): string {
  return `${name} ${image}`;
}
