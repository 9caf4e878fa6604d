import { CriError, type ImageService, type ImageStatus, type PullRequest } from '@slipway/image-pulls';
import { type Clock, sleep } from '@slipway/kube';
import type { ImageScenario, SimulatedImage } from './images-file.js';
import { whyMissing } from './missing-images.js';
import { SimulatedLink } from './simulated-link.js';

export interface SimulatedImagesOptions {
  readonly scenario: ImageScenario;
  readonly clock: Clock;
  /** The images that the node has, by reference. They are added to. */
  readonly present: Set<string>;
}

/** The image service of a simulated node: pulls take what the scenario says, and fail when it says so. */
export class SimulatedImages implements ImageService {
  readonly #options: SimulatedImagesOptions;
  readonly #link: SimulatedLink;
  readonly #failures = new Map<string, number>();

  constructor(options: SimulatedImagesOptions) {
    this.#options = options;
    this.#link = new SimulatedLink(options.clock, options.scenario.bytesPerSecond);
  }

  async imageStatus(image: string): Promise<ImageStatus | undefined> {
    if (!this.#options.present.has(image)) return undefined;
    return { id: image, repoDigests: [], sizeBytes: this.#imageOf(image).sizeBytes };
  }

  /** A simulated runtime leaves the limit to its kubelet. */
  async supportsOption(): Promise<boolean> {
    return false;
  }

  async pullImage({ image }: PullRequest, signal: AbortSignal): Promise<string> {
    const { clock, present } = this.#options;
    const { latencyMs, sizeBytes, error } = this.#imageOf(image);
    const missing = this.#named(image) ? undefined : whyMissing(image);
    if (latencyMs > 0) await sleep(clock, latencyMs, signal);
    if (missing) throw new CriError(missing.code, missing.text);
    const failures = this.#failures.get(image) ?? 0;
    if (error && failures < error.times) {
      this.#failures.set(image, failures + 1);
      throw new CriError(2, error.text);
    }
    // What is there already is only asked for: no layer of it has changed.
    if (!present.has(image)) await this.#link.download(sizeBytes, signal);
    present.add(image);
    return image;
  }

  #imageOf(image: string): SimulatedImage {
    return this.#named(image) ?? this.#options.scenario.others;
  }

  #named(image: string): SimulatedImage | undefined {
    const { named } = this.#options.scenario;
    const repository = image.replace(/(:[^:/@]+)?(@.*)?$/, '');
    return named.get(image) ?? named.get(image.replace(/:latest$/, '')) ?? named.get(repository);
  }
}
